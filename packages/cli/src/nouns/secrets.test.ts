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

  it('`secrets set` reads stdin and never prints the value', async () => {
    const set = await cli.run(['secrets', 'set', 'TOKEN', ...TEST], { stdin: 'token-of-theirs\n' });
    expect([set.code, set.out]).toEqual([0, 'Set secret TOKEN.\n']);
    const { code, out, err } = await cli.run(['secrets', 'list', ...TEST, '--json']);
    expect([code, JSON.parse(out).data]).toMatchObject([0, [{ name: 'TOKEN' }]]);
    expect(set.out + set.err + out + err).not.toContain('token-of-theirs');
  });

  it('`secrets set` reads a file and uses --env', async () => {
    writeFileSync(join(cli.cwd, 'token'), 'from a file\n');
    expect((await cli.run(['secrets', 'set', 'TOKEN', '--env', 'prod', '--file', 'token'])).code).toBe(0);
    expect(await names()).toEqual([]);
    expect((await cli.run(['secrets', 'list', '--env', 'prod'])).out).toContain('TOKEN\t');
  });

  it('`secrets list` reports an empty list, and `secrets delete` exits 1 for an unknown name', async () => {
    expect((await cli.run(['secrets', 'list', ...TEST])).err).toBe('No secrets yet.\n');
    expect((await cli.run(['secrets', 'delete', 'TOKEN', ...TEST])).code).toBe(1);
  });

  it('`secrets delete` removes a secret by name', async () => {
    await cli.beckon.secrets.set(cli.scope, 'TOKEN', { value: 'v' });
    expect((await cli.run(['secrets', 'delete', 'TOKEN', ...TEST])).code).toBe(0);
    expect(await names()).toEqual([]);
  });

  it('`secrets` commands need an environment', async () => {
    expect((await cli.run(['secrets', 'set', 'TOKEN'], { stdin: 'v' })).code).toBe(2);
  });

  it('`secrets rotate-signing` prints the new key once, and until when the old one signs', async () => {
    const { code, out } = await cli.run(['secrets', 'rotate-signing', '--grace-hours', '2']);
    expect(code).toBe(0);
    const until = new Date(cli.clock.now().getTime() + 7_200_000).toISOString();
    expect(out).toMatch(new RegExp(`^whsec_\\S+\nThe previous key also signs until ${until}\\.\n$`));
    expect((await cli.run(['secrets', 'rotate-signing', '--grace-hours', '0'])).out).toContain('no longer signs');
  });

  it('`secrets rotate-signing` takes whole hours up to one week', async () => {
    for (const text of ['169', '-1', '1.5', 'x', ''])
      expect((await cli.run(['secrets', 'rotate-signing', '--grace-hours', text])).code).toBe(2);
  });
});
