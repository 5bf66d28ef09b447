import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant } from '../../test/support/world.ts';

const open = () => {
  const program = cli();
  addTenant(program.state);
  return program;
};

describe('domains', () => {
  it('are added to prod unless told otherwise, and print the records to set', async () => {
    const { run, io, state } = open();
    expect(await run('domains', 'add', 'good.test', '--dkim')).toBe(0);
    expect(io.out()).toBe('TXT\t_beckon.good.test\tbeckon-verify=n\nTXT\tk._domainkey.good.test\tv=DKIM1\n');
    expect(io.err()).toContain('beckon domains verify good.test');
    expect(state.calls).toContain('domains prod acme-org/acme-project');
    expect(await run('domains', 'add', 'try.test', '--env', 'test')).toBe(0);
    expect(state.calls).toContain('domains test acme-org/acme-project');
  });

  it('are verified by name or id, and exit 1 while they are not', async () => {
    const { run, io } = open();
    await run('domains', 'add', 'good.test');
    await run('domains', 'add', 'bad.test');
    expect(await run('domains', 'verify', 'GOOD.test')).toBe(0);
    expect(io.out()).toContain('ownership\tok\twhat to do\nspf\tmissing\tThere is no SPF record');
    expect(await run('domains', 'verify', 'd2')).toBe(1);
    expect(await run('domains', 'verify', 'other.test')).toBe(1);
    expect(io.err()).toContain('There is no sending domain other.test.');
  });

  it('are listed, and forgotten', async () => {
    const { run, io, state } = open();
    await run('domains', 'add', 'good.test');
    expect(await run('domains', 'list')).toBe(0);
    expect(io.out()).toContain('good.test\tpending\tno\t-\t-');
    expect(await run('domains', 'remove', 'good.test')).toBe(0);
    expect(state.domains).toEqual([]);
  });
});
