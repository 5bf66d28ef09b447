import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newMasterKey } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('backup and restore', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli();
  });
  afterEach(() => real.close());

  it('backup and restore copy a running deployment to another folder, readable by its owner only', async () => {
    expect(await real.run(['backup', 'one.backup'])).toMatchObject({ code: 0, err: '' });
    expect(statSync(join(real.cwd, 'one.backup')).mode & 0o777).toBe(0o600);
    const { code, out } = await real.run(['restore', 'one.backup', '--db', 'sqlite:other/beckon.db']);
    expect(code).toBe(0);
    expect(out).toContain('2026-11-20T08:00:00.000Z');
    expect((await real.run(['orgs', 'list', '--db', 'sqlite:other/beckon.db'])).out).toContain('Acme');
  });

  it('restore of a backup without secrets lists the secrets to set again, as text and as JSON', async () => {
    await real.run(['backup', 'one.backup', '--without-secrets', '--compress']);
    const { out } = await real.run(['restore', 'one.backup', '--db', 'sqlite:a/beckon.db']);
    expect(out).toContain('beckon secrets rotate-signing --grace-hours 0');
    const answer = JSON.parse((await real.run(['restore', 'one.backup', '--json', '--db', 'sqlite:b/beckon.db'])).out);
    expect(answer.data.leftOut).toMatchObject([{ rows: 1 }]);
  });

  it('backup and restore refuse to overwrite data, each case with its own message and exit code', async () => {
    await real.run(['backup', 'one.backup']);
    const there = await real.run(['backup', 'one.backup']);
    expect(there).toMatchObject({ code: 6 });
    expect(there.err).toContain('--force');
    expect((await real.run(['backup', 'one.backup', '--force'])).code).toBe(0);
    const busy = await real.run(['restore', 'one.backup', '--force', '--json']);
    expect(busy.code).toBe(6);
    expect(JSON.parse(busy.out)).toMatchObject({ success: false, error: { details: { reason: 'in_use' } } });
    const wrong = { BECKON_MASTER_KEY: newMasterKey(), BECKON_DB: 'sqlite:other/beckon.db' };
    expect((await real.run(['restore', 'one.backup'], { env: wrong })).code).toBe(2);
    expect(existsSync(join(real.cwd, 'other/beckon.db'))).toBe(false);
    expect((await real.run(['restore', 'data/beckon.db', '--db', 'sqlite:other/beckon.db'])).code).toBe(5);
    expect(readFileSync(join(real.cwd, 'one.backup')).length).toBeGreaterThan(0);
  });
});
