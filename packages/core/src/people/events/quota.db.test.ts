import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { QUOTA_SLOT } from '../../platform/plans/slots.ts';
import type { EventInput } from './api.ts';

const NOW = '2026-03-31T23:59:59.000Z';
const MONTH = '2026-03';

describe('monthly event quotas', () => {
  const clock = virtualClock(NOW);
  const masterKey = newMasterKey();
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let folder: string;
  let made = 0;
  beforeAll(async () => {
    // A file: in-memory SQLite has one connection only, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-quota-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
    beckon = await createBeckon({ db: database.url, masterKey, clock });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const tenant = async (plan: string, events = 0): Promise<Scope> => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    await beckon.plans.set(orgId, plan);
    const { storage, tables } = database;
    if (events > 0)
      await storage.db
        .insert(tables.eventUsage)
        .values({ orgId, month: MONTH, slot: QUOTA_SLOT, events, maxEvents: 10_000 });
    return beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  };
  beforeEach(async () => {
    clock.set(new Date(NOW));
    scope = await tenant('free');
  });
  const event = (change: object = {}) => {
    made += 1;
    return { module: 'app', eventType: 'opened', userId: `user-${made}`, ...change };
  };
  const used = (of = scope, month = MONTH) => beckon.plans.usageOf(of.orgId, month);
  /** Number of stored events of an org, independent of its counters. */
  const stored = async (of = scope): Promise<number> => {
    const rows = await database.storage.db
      .select({ scopeId: database.tables.events.scopeId })
      .from(database.tables.events);
    return rows.filter(({ scopeId }) => scopeId === of.scopeId).length;
  };
  const outcomes = async (calls: readonly Promise<unknown>[]) => {
    const settled = await Promise.allSettled(calls);
    return settled.map((one) => {
      if (one.status === 'fulfilled') return 'accepted';
      return isBeckonError(one.reason, 'RATE_LIMITED') ? one.reason.details?.reason : String(one.reason);
    });
  };
  const over = { code: 'RATE_LIMITED', details: { reason: 'quota', retryAfterSeconds: 1 } };

  it('of 50 concurrent clients at 9,999 events exactly one passes, and other orgs are not affected', async () => {
    scope = await tenant('free', 9_999);
    const others = [await tenant('free'), await tenant('unlimited')] as const;
    const calls = Array.from({ length: 50 }, () => [
      beckon.events.track(scope, event()),
      ...others.map((other) => beckon.events.track(other, event())),
    ]);
    const results = await outcomes(calls.flat());
    const own = results.filter((_, at) => at % 3 === 0);
    expect(own.filter((one) => one === 'accepted')).toHaveLength(1);
    expect(own.filter((one) => one === 'quota')).toHaveLength(49);
    expect(results.filter((_, at) => at % 3 !== 0)).toEqual(Array(100).fill('accepted'));
    expect([await used(), await stored()]).toEqual([10_000, 1]);
    for (const other of others) expect([await used(other), await stored(other)]).toEqual([50, 50]);
  });

  it.each([
    ['{ batch }', (batch: readonly EventInput[]) => ({ batch })],
    ['a bare array', (batch: readonly EventInput[]) => batch],
  ] as const)('a batch is accepted or rejected as a whole, written as %s', async (_, written) => {
    scope = await tenant('free', 9_995);
    const batch = (count: number) => written(Array.from({ length: count }, () => event()));
    await expect(beckon.events.batch(scope, batch(10))).rejects.toMatchObject(over);
    expect([await used(), await stored()]).toEqual([9_995, 0]);
    const results = await outcomes(Array.from({ length: 4 }, () => beckon.events.batch(scope, batch(3))));
    expect(results.toSorted()).toEqual(['accepted', 'quota', 'quota', 'quota']);
    expect([await used(), await stored()]).toEqual([9_998, 3]);
  });

  it('duplicates and rejected events are not counted, and over-quota events are not stored', async () => {
    scope = await tenant('free', 9_998);
    await beckon.events.track(scope, event({ messageId: 'm1' }));
    await expect(beckon.events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(beckon.events.track(scope, event({ module: '' }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const mixed = [event({ messageId: 'm1' }), event({ module: '' }), event({ messageId: 'm2' })];
    expect(await beckon.events.batch(scope, mixed)).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await used()).toBe(10_000);
    const late = event({ messageId: 'm3', traits: { a: 1 } });
    await expect(beckon.events.track(scope, late)).rejects.toMatchObject(over);
    const identify = { userId: late.userId, traits: { a: 1 } };
    await expect(beckon.events.identify(scope, identify)).rejects.toMatchObject(over);
    await expect(beckon.profiles.get(scope, late.userId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // A duplicate is reported as such even over quota.
    await expect(beckon.events.track(scope, event({ messageId: 'm2' }))).rejects.toMatchObject({ code: 'CONFLICT' });
    clock.advance(1_000);
    expect(await beckon.events.track(scope, late)).toMatchObject({ accepted: true });
    expect([await used(), await used(scope, '2026-04')]).toEqual([10_000, 1]);
  });

  it('a quota ends with the last millisecond of the month in UTC', async () => {
    scope = await tenant('free', 10_000);
    clock.set(new Date('2026-03-31T23:59:59.999Z'));
    await expect(beckon.events.track(scope, event())).rejects.toMatchObject(over);
    clock.set(new Date('2026-04-01T00:00:00.000Z'));
    await beckon.events.track(scope, event());
    expect([await used(), await used(scope, '2026-04')]).toEqual([10_000, 1]);
  });

  it('events that Beckon raises are not counted', async () => {
    scope = await tenant('growth');
    const { id: geofenceId } = await beckon.geofences.create(scope, {
      name: 'Shop',
      lat: 1,
      lng: 1,
      radiusMeters: 200,
    });
    await beckon.geofences.report(scope, { geofenceId, transition: 'enter', userId: 'ann' });
    await beckon.push.send(scope, { tokens: ['fcm:a'], title: 't' });
    await beckon.worker.drain();
    expect([(await stored()) > 0, await used()]).toEqual([true, 0]);
  });

  it("a new quota continues from the month's count, and ends with the plan", async () => {
    scope = await tenant('unlimited');
    await beckon.events.batch(
      scope,
      Array.from({ length: 5 }, () => event()),
    );
    await beckon.plans.set(scope.orgId, 'free');
    const { storage, tables } = database;
    await storage.db
      .insert(tables.eventUsage)
      .values({ orgId: scope.orgId, month: MONTH, slot: QUOTA_SLOT, events: 9_994, maxEvents: 10_000 });
    await beckon.events.track(scope, event());
    await expect(beckon.events.track(scope, event())).rejects.toMatchObject(over);
    await beckon.plans.set(scope.orgId, 'starter');
    await beckon.events.track(scope, event());
    expect(await used()).toBe(10_001);
    await expect(beckon.plans.usageOf(scope.orgId, 'march')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
