import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';

describe('secrets rotate-master', () => {
  const both = { env: { BECKON_MASTER_KEY: 'new,old' } };

  it('rotate-master prints the number of re-encrypted values and the next step', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 3, values: 5, unreadable: 0, left: 0 };
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toContain('re-encrypted 3 data keys and 5 values');
    expect(io.out()).toContain('Remove the other master keys from the configuration');
    io.remove();
  });

  it('rotate-master prints progress on stderr', async () => {
    const { run, io, state, envelope } = cli(both);
    state.rotation = { dataKeys: 3, values: 5, unreadable: 0, left: 0 };
    expect(await run('secrets', 'rotate-master', '--json')).toBe(0);
    expect(io.err()).toContain('Re-encrypted: 50 % (4 of 8)');
    expect(envelope()).toEqual({ success: true, data: { dataKeys: 3, values: 5, unreadable: 0, left: 0 } });
    io.remove();
  });

  it('rotate-master with a single key reports nothing to do and no key to remove', async () => {
    const { run, io } = cli();
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toBe('All data is already encrypted with the first master key.\n');
    io.remove();
  });

  it('rotate-master reports values that no key can decrypt', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 1, values: 1, unreadable: 2, left: 0 };
    expect(await run('secrets', 'rotate-master')).toBe(0);
    expect(io.out()).toContain('2 values cannot be decrypted with any key');
    io.remove();
  });

  it('rotate-master exits 10 while another process still uses only the old key', async () => {
    const { run, io, state } = cli(both);
    state.rotation = { dataKeys: 1, values: 1, unreadable: 0, left: 1 };
    expect(await run('secrets', 'rotate-master')).toBe(10);
    expect(io.out()).toBe('');
    expect(io.err()).toContain('repeat this command');
    io.remove();
  });
});
