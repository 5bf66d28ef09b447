import type { Beckon, MasterKeyRotation } from '@beckon/core';
import { newMasterKey } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('secrets rotate-master', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli();
    await real.beckon.secrets.set(real.scope, 'TOKEN', { value: 'v' });
  });
  afterEach(() => real.close());

  /** Runs the command with a new master key before the one of the database. */
  const rotate = (flags: readonly string[] = [], change = (beckon: Beckon): Beckon => beckon) => {
    const env = { ...real.env, BECKON_MASTER_KEY: `${newMasterKey()},${real.env['BECKON_MASTER_KEY']}` };
    return real.run(['secrets', 'rotate-master', ...flags], { env, change });
  };
  /** Replaces the result, for states that need several processes or keys that nobody has. */
  const ending = (result: Partial<MasterKeyRotation>) => (beckon: Beckon) => ({
    ...beckon,
    secrets: {
      ...beckon.secrets,
      rotateMasterKey: async () => ({ dataKeys: 1, values: 1, unreadable: 0, left: 0, ...result }),
    },
  });

  it('rotate-master prints the number of re-encrypted values and the next step', async () => {
    const { code, out } = await rotate();
    expect([code, out]).toEqual([0, expect.stringMatching(/re-encrypted [1-9]\d* data keys? and \d+ values?/i)]);
    expect(out).toContain('Remove the other master keys from the configuration');
  });

  it('rotate-master prints progress on stderr', async () => {
    const { code, out, err } = await rotate(['--json']);
    expect([code, err]).toEqual([0, expect.stringMatching(/Re-encrypted: \d+ % \(\d+ of \d+\)/)]);
    expect(JSON.parse(out)).toMatchObject({ success: true, data: { unreadable: 0, left: 0 } });
    expect(JSON.parse(out).data.dataKeys).toBeGreaterThan(0);
  });

  it('rotate-master with a single key reports nothing to do and no key to remove', async () => {
    const { code, out } = await real.run(['secrets', 'rotate-master']);
    expect([code, out]).toEqual([0, 'All data is already encrypted with the first master key.\n']);
  });

  it('rotate-master reports values that no key can decrypt', async () => {
    const { code, out } = await rotate([], ending({ unreadable: 2 }));
    expect([code, out]).toEqual([0, expect.stringContaining('2 values cannot be decrypted with any key')]);
  });

  it('rotate-master exits 10 while another process still uses only the old key', async () => {
    const { code, out, err } = await rotate([], ending({ left: 1 }));
    expect([code, out, err]).toEqual([10, '', expect.stringContaining('repeat this command')]);
  });
});
