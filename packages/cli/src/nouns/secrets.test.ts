import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TEST = ['--env', 'test'];

describe('secrets of workflows', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const names = async (): Promise<string[]> => (await cli.beckon.secrets.list(cli.scope)).data.map(({ name }) => name);

  it('are set from stdin and never shown', async () => {
    const set = await cli.run(['secrets', 'set', 'TOKEN', ...TEST], { stdin: 'token-of-theirs\n' });
    expect([set.code, set.out]).toEqual([0, 'The secret TOKEN is set.\n']);
    const { code, out, err } = await cli.run(['secrets', 'list', ...TEST, '--json']);
    expect([code, JSON.parse(out).data]).toMatchObject([0, [{ name: 'TOKEN' }]]);
    expect(set.out + set.err + out + err).not.toContain('token-of-theirs');
  });

  it('are set from a file, in the environment that is named', async () => {
    writeFileSync(join(cli.cwd, 'token'), 'from a file\n');
    expect((await cli.run(['secrets', 'set', 'TOKEN', '--env', 'prod', '--file', 'token'])).code).toBe(0);
    expect(await names()).toEqual([]);
    expect((await cli.run(['secrets', 'list', '--env', 'prod'])).out).toContain('TOKEN\t');
  });

  it('say that there is none, and exit 1 where one is removed that is not there', async () => {
    expect((await cli.run(['secrets', 'list', ...TEST])).err).toBe('There are no secrets.\n');
    expect((await cli.run(['secrets', 'delete', 'TOKEN', ...TEST])).code).toBe(1);
  });

  it('are removed by name', async () => {
    await cli.beckon.secrets.set(cli.scope, 'TOKEN', { value: 'v' });
    expect((await cli.run(['secrets', 'delete', 'TOKEN', ...TEST])).code).toBe(0);
    expect(await names()).toEqual([]);
  });

  it('need an environment to be named', async () => {
    expect((await cli.run(['secrets', 'set', 'TOKEN'], { stdin: 'v' })).code).toBe(2);
  });

  it('`secrets rotate-signing` shows the new secret once, and until when the old one still signs', async () => {
    const { code, out } = await cli.run(['secrets', 'rotate-signing', '--grace-hours', '2']);
    expect(code).toBe(0);
    const until = new Date(cli.clock.now().getTime() + 7_200_000).toISOString();
    expect(out).toMatch(new RegExp(`^whsec_\\S+\nThe one before signs along until ${until}\\.\n$`));
    expect((await cli.run(['secrets', 'rotate-signing', '--grace-hours', '0'])).out).toContain('signs no more');
  });

  it('`secrets rotate-signing` takes whole hours of at most a week', async () => {
    for (const text of ['169', '-1', '1.5', 'x', ''])
      expect((await cli.run(['secrets', 'rotate-signing', '--grace-hours', text])).code).toBe(2);
  });
});
