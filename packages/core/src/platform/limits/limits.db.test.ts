import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { scopeLike, testScope } from '../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { providerNotConfigured } from '../../foundation/errors.ts';
import { limitsEngine } from './limits.ts';

const PROD = testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' });

describe('email requests', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const plans = { allows: async () => true, require: async () => undefined };
  const limitsOf = (mailsPerMinute?: number) => {
    const { storage, tables } = database;
    return limitsEngine({ storage, tables, clock, isOrg: async (id) => id === 'org-a', plans, mailsPerMinute });
  };
  const process = () => {
    return limitsOf().api;
  };
  const done = async () => 'done';

  it('email requests are limited to 60 at once and one a second over all processes and projects of an organization', async () => {
    const [here, there] = [process(), process()];
    const other = scopeLike(PROD, { projectId: 'other' });
    const asked = Array.from({ length: 80 }, (_, at) =>
      (at % 2 ? here : there).mailRequest(at % 3 ? PROD : other, done).then(
        () => true,
        (error: { code?: string; details?: unknown }) => error,
      ),
    );
    const results = await Promise.all(asked);
    expect(results.filter((one) => one === true)).toHaveLength(60);
    expect(results.find((one) => one !== true)).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Email rate limit of this organization exceeded: 60 per minute. Retry in 1 s.',
      details: { retryAfterSeconds: 1, limit: 60, perMinute: 60, reason: 'email_sends' },
    });
    clock.advance(999);
    await expect(here.mailRequest(PROD, done)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    clock.advance(1);
    expect(await there.mailRequest(PROD, done)).toBe('done');
    await expect(here.mailRequest(PROD, done)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    // Other organizations and the outbox are not affected.
    expect(await here.mailRequest(scopeLike(PROD, { orgId: 'org-b' }), done)).toBe('done');
    expect(await here.mailRequest(scopeLike(PROD, { environment: 'test' }), done)).toBe('done');
  });

  it('email requests on probation are limited to 10 at once and one in six seconds', async () => {
    const { mailRequest, setEmailProbation } = process();
    await setEmailProbation('org-a', true);
    for (let sent = 0; sent < 10; sent += 1) await mailRequest(PROD, done);
    await expect(mailRequest(PROD, done)).rejects.toMatchObject({ details: { retryAfterSeconds: 6 } });
    clock.advance(6_000);
    await mailRequest(PROD, done);
    await setEmailProbation('org-a', false);
    clock.advance(1_000);
    await mailRequest(PROD, done);
    await expect(setEmailProbation('nobody', true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an email request without a provider costs nothing, and costs if it fails otherwise', async () => {
    const { mailRequest } = process();
    const missing = providerNotConfigured({ channel: 'email', provider: 'smtp', missing: ['host'] });
    for (let sent = 0; sent < 70; sent += 1)
      await expect(mailRequest(PROD, () => Promise.reject(missing))).rejects.toBe(missing);
    for (let sent = 0; sent < 60; sent += 1)
      await expect(mailRequest(PROD, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(mailRequest(PROD, done)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('email within a request is counted already, and email beside it is not', async () => {
    const { api, hasMailPermit } = limitsOf();
    expect(hasMailPermit()).toBe(false);
    const [within, beside] = await Promise.all([api.mailRequest(PROD, async () => hasMailPermit()), hasMailPermit()]);
    expect([within, beside]).toEqual([true, false]);
  });

  it('all processes together take no more email permits than there are', async () => {
    const [here, there] = [limitsOf(), limitsOf()];
    await Promise.all(Array.from({ length: 20 }, () => here.api.mailRequest(PROD, done)));
    const asked = Array.from({ length: 16 }, (_, at) => (at % 2 ? here : there).mailPermits.take('org-a', 5));
    const got = await Promise.all(asked);
    expect(got.reduce((sum, { granted: taken }) => sum + taken, 0)).toBe(40);
    expect(await there.mailPermits.take('org-a', 5)).toEqual({ granted: 0, waitMs: 1_000, everyMs: 1_000 });
    await expect(here.api.mailRequest(PROD, done)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await there.mailPermits.giveBack('org-a', 2);
    expect(await here.mailPermits.take('org-a', 5)).toMatchObject({ granted: 2 });
    clock.advance(2_500);
    expect(await here.mailPermits.take('org-a', 5)).toEqual({ granted: 2, waitMs: 500, everyMs: 1_000 });
  });

  it("email requests follow the operator's rate, and the lower one on probation", async () => {
    const { mailPermits: places, api } = limitsOf(600);
    expect(await places.take('org-a', 1_000)).toEqual({ granted: 600, waitMs: 100, everyMs: 100 });
    clock.advance(60_000);
    await api.setEmailProbation('org-a', true);
    expect(await places.take('org-a', 1_000)).toMatchObject({ granted: 10, everyMs: 6_000 });
  });
});
