import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('dashboard', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli();
  });
  afterEach(() => real.close());

  it('draws one frame with every panel where nobody looks, and ends', async () => {
    const { code, out } = await real.run(['dashboard']);
    expect(code).toBe(0);
    for (const panel of ['throughput', 'queues', 'providers', 'webhooks', 'failures', 'limits'])
      expect(out).toContain(` ${panel} `);
    expect(out).toContain('messages  0 due');
    expect(out).toContain('Acme  unlimited  0 events this month');
  });

  it('answers one object for a program', async () => {
    const { code, out } = await real.run(['top', '--once', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      success: true,
      data: { health: 'ok', events: 0, usage: [{ org: 'Acme' }] },
    });
  });

  it('lets no name of a database steer the terminal', async () => {
    await real.beckon.tenancy.createOrg({ name: '\u001b]0;owned\u0007Evil\u001b[31m' });
    const { out } = await real.run(['dashboard', '--once']);
    expect(out).not.toContain('\u001b]0;');
    expect(out).not.toContain('\u001b[31m');
  });
});
