import { describe, expect, it } from 'vitest';
import { emptyCli } from '../../test/support/empty.ts';
import { EXIT } from '../exit-codes.ts';
import { KEYS } from '../settings.ts';

const help = async (...argv: string[]) => {
  const program = emptyCli();
  const code = await program.run('help', ...argv);
  program.io.remove();
  return { code, out: program.io.out(), err: program.io.err() };
};

describe('beckon help', () => {
  it('`help exit-codes` prints every exit code and what it means', async () => {
    const { code, out } = await help('exit-codes');
    expect(code).toBe(0);
    const codes = out
      .split('\n')
      .slice(1, -1)
      .map((line) => Number(line.split('\t')[0]));
    expect(codes).toEqual(Object.values(EXIT));
    expect(out).toContain('9\tconfirmation required (pass --yes)\n');
    const json = await help('exit-codes', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      success: true,
      data: expect.arrayContaining([{ code: 0, meaning: 'done' }]),
    });
  });

  it('`help config` and `help environment` print every key with its variable', async () => {
    const { out } = await help('config');
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split('\t')[0]),
    ).toEqual(KEYS);
    expect(out).toContain('log.format\tBECKON_LOG_FORMAT\n');
    expect((await help('environment')).out).toContain('BECKON_API_KEY\t');
  });

  it('`help` prints what --help of the same command prints', async () => {
    for (const words of [[], ['sends'], ['sends', 'explain'], ['providers', 'add', 'smtp'], ['top']]) {
      const { run, io } = emptyCli();
      await run(...words, '--help');
      expect(await help(...words)).toEqual({ code: 0, out: io.out(), err: '' });
      io.remove();
    }
  });

  it('`help` of a command that does not exist exits 2 and names the one that is meant', async () => {
    expect(await help('sends', 'lst')).toMatchObject({ code: 2, err: expect.stringContaining('(Did you mean list?)') });
    expect((await help('exit-code')).code).toBe(2);
  });

  it('a default time is shown in --help as it is typed', async () => {
    const shown = async (...words: string[]) => (await help(...words)).out;
    expect(await shown('events', 'tail')).toContain('(default: 10m)');
    expect(await shown('webhooks', 'rotate-secret')).toContain('(default: 1d)');
    expect(await shown('dashboard')).toContain('(default: 1s)');
    for (const words of [['events', 'tail'], ['webhooks', 'rotate-secret'], ['dashboard']])
      expect(await shown(...words)).not.toMatch(/default: \d{4,}\)/);
  });
});
