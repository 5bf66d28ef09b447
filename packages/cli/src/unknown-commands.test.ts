import { describe, expect, it } from 'vitest';
import { emptyCli } from '../test/support/empty.ts';

const stderrOf = async (...argv: string[]): Promise<string> => {
  const { run, io } = emptyCli();
  expect(await run(...argv)).toBe(2);
  io.remove();
  return io.err();
};

describe('an unknown command', () => {
  it.each([
    ['user', 'beckon profiles list'],
    ['user list', 'beckon profiles show USER'],
    ['status', 'beckon doctor'],
    ['login', '--api-key-file'],
    ['workflows import x.json --yes', 'beckon bundle import FILE'],
    ['workflows export', 'beckon bundle export'],
    ['templates import', 'beckon templates push'],
    ['segments list', 'beckon audiences'],
    ['sends get x', 'beckon sends show'],
  ])('`%s` names the command that does it', async (line, advice) => {
    expect(await stderrOf(...line.split(' '))).toContain(advice);
  });

  it('a misspelt command names the nearest one of its group', async () => {
    expect(await stderrOf('evnts')).toContain("unknown command 'evnts'\n(Did you mean events?)");
    expect(await stderrOf('sends', 'lst')).toContain('(Did you mean list?)');
    expect(await stderrOf('topp')).toContain('(Did you mean top?)');
  });

  it('the name of a command in another group names the whole command', async () => {
    expect(await stderrOf('funnel')).toContain('(Did you mean beckon analytics funnel?)');
    expect(await stderrOf('workflows', 'cancel')).toContain(
      '(Did you mean beckon runs cancel or beckon sends cancel?)',
    );
    expect(await stderrOf('list')).not.toContain('Did you mean beckon');
  });

  it('the advice is in the envelope of --json', async () => {
    const { run, io, envelope } = emptyCli();
    expect(await run('status', '--json')).toBe(2);
    expect(envelope()).toMatchObject({ error: { code: 'USAGE', message: expect.stringContaining('beckon doctor') } });
    io.remove();
  });
});
