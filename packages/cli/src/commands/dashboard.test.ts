import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('dashboard', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli();
  });
  afterEach(() => real.close());

  it('the dashboard prints one frame with every panel without a terminal, then exits', async () => {
    const { code, out } = await real.run(['dashboard']);
    expect(code).toBe(0);
    for (const panel of ['throughput', 'queues', 'providers', 'webhooks', 'failures', 'limits'])
      expect(out).toContain(` ${panel} `);
    expect(out).toContain('messages  0 due');
    expect(out).toContain('Acme  unlimited  0 events this month');
  });

  it('`dashboard --json` prints one object', async () => {
    const { code, out } = await real.run(['top', '--once', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      success: true,
      data: { health: 'ok', events: 0, usage: [{ org: 'Acme' }] },
    });
  });

  it('the dashboard removes control sequences from stored names', async () => {
    await real.beckon.tenancy.createOrg({ name: '\u001b]0;owned\u0007Evil\u001b[31m' });
    const { out } = await real.run(['dashboard', '--once']);
    expect(out).not.toContain('\u001b]0;');
    expect(out).not.toContain('\u001b[31m');
  });
});
