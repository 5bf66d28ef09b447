import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';

describe('secrets rotate-master', () => {
  const both = { env: { BECKON_MASTER_KEY: 'new,old' } };

  it('says what was sealed anew and what is to be done next', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 3, values: 5, unreadable: 0, left: 0 };
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toContain('3 data keys and 5 values were sealed anew');
    expect(io.out()).toContain('Take the other master keys out of the configuration');
    io.remove();
  });

  it('shows how far it is on stderr', async () => {
    const { run, io, state, envelope } = cli(both);
    state.rotation = { dataKeys: 3, values: 5, unreadable: 0, left: 0 };
    expect(await run('secrets', 'rotate-master', '--json')).toBe(0);
    expect(io.err()).toContain('sealed anew: 50 % (4 of 8)');
    expect(envelope()).toEqual({ success: true, data: { dataKeys: 3, values: 5, unreadable: 0, left: 0 } });
    io.remove();
  });

  it('says that there was nothing to do, and of no key to remove where there is one only', async () => {
    const { run, io } = cli();
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toBe('Everything was sealed with the first master key already.\n');
    io.remove();
  });

  it('names values that no key opens', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 1, values: 1, unreadable: 2, left: 0 };
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toContain('2 values open with no key');
    io.remove();
  });

  it('exits 10 and does not say that a key may go while another process still uses the old one', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 1, values: 1, unreadable: 0, left: 1 };
    expect(await run('secrets', 'rotate-master')).toBe(10);
    expect(io.out()).toBe('');
    expect(io.err()).toContain('run this again');
    io.remove();
  });
});
