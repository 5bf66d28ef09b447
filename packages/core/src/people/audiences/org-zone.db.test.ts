import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createBeckon } from '../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { COMMIT_GRACE_MS } from './build.ts';

type Beckon = Awaited<ReturnType<typeof createBeckon>>;

/** A date before that UTC midnight: true if the zone is east of Greenwich. Evaluated by SQL. */
const BEFORE = { trait: 'day', op: 'before', value: '2026-03-02T00:00:00Z', timezone: 'org' } as const;
/** The same with a plain date as value. Evaluated by SQL. */
const NAMED = { not: { trait: 'at', op: 'before', value: '2026-03-02', timezone: 'org' } } as const;
/** At noon UTC on March 1: true of that date east of Greenwich, in UTC from 18:00 on. Evaluated in memory. */
const OLDER = { trait: 'today', op: 'older_than', value: { n: 18, unit: 'hours' }, timezone: 'org' } as const;
const TRAITS = { day: '2026-03-02', at: '2026-03-01T23:00:00Z', today: '2026-03-01' };
const [EAST, WEST] = ['Asia/Tokyo', 'America/New_York'];
/** Age at which a process reads definitions that another one changed. */
const MAX_AGE_MS = 2_000;

describe('the time zone org in an audience', () => {
  const masterKey = newMasterKey();
  let directory: string;
  let database: TestDatabase;
  let clock: VirtualClock;
  let beckon: Beckon;
  let elsewhere: Beckon;
  let scope: Scope;
  let prod: Scope;
  /** `scope` in the other process. */
  let there: Scope;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'beckon-zones-'));
    database = await openTestDatabase({ url: `sqlite:${join(directory, 'zones.db')}` });
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    beckon = await createBeckon({ db: database.url, masterKey, clock });
    elsewhere = await createBeckon({ db: database.url, masterKey, clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    there = await elsewhere.tenancy.scope({ orgId, projectId, environment: 'test' });
    prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
  });
  afterEach(async () => {
    await elsewhere.close();
    await beckon.close();
    await database.close();
    await rm(directory, { recursive: true });
  });

  const identify = (userId: string) => beckon.events.identify(scope, { userId, traits: TRAITS });
  const identifyElsewhere = (userId: string) => elsewhere.events.identify(there, { userId, traits: TRAITS });
  const create = async (name: string, predicate: object, of = scope) =>
    (await beckon.audiences.create(of, { name, predicate: predicate as typeof BEFORE })).id;
  const membersOf = async (id: string) =>
    (await beckon.audiences.members(scope, id)).data.map(({ userId }) => userId).toSorted();
  const setZone = (orgDefaultTimezone: string | null, of = scope) =>
    beckon.settings.update(of, 'push', { orgDefaultTimezone });
  const statusOf = async (id: string, of = scope) => (await beckon.audiences.get(of, id)).status;
  const rowOf = async (id: string) => {
    const rows = await database.storage.db.select().from(database.tables.audiences);
    const row = rows.find((one) => one.id === id);
    if (!row) throw new Error('there is no such audience');
    return { stage: row.stage, fence: row.fence, version: row.version };
  };
  /** Runs the build and, a minute later, the second walk. */
  const settle = async () => {
    await beckon.worker.drain();
    clock.advance(COMMIT_GRACE_MS);
    await beckon.worker.drain();
  };

  it.each([
    ['SQL evaluates', BEFORE],
    ['SQL evaluates by a named day', NAMED],
    ['memory evaluates', OLDER],
  ])('a plain date begins in UTC without a default time zone, else in that zone: %s', async (_, predicate) => {
    await identify('ann');
    const id = await create('Zoned', predicate);
    await beckon.worker.drain();
    expect([await membersOf(id), (await beckon.audiences.preview(scope, { predicate })).count]).toEqual([[], 0]);
    await identify('bob');
    expect(await membersOf(id)).toEqual([]);

    await setZone(EAST);
    expect(await statusOf(id)).toBe('computing');
    // Ingest uses the new zone before the worker has computed anything.
    await identify('cy');
    expect(await membersOf(id)).toEqual(['cy']);
    await beckon.worker.drain();
    expect([await membersOf(id), await statusOf(id)]).toEqual([['ann', 'bob', 'cy'], 'ready']);
    expect((await beckon.audiences.preview(scope, { predicate })).count).toBe(3);

    await setZone(WEST);
    await beckon.worker.drain();
    expect([await membersOf(id), (await beckon.audiences.preview(scope, { predicate })).count]).toEqual([[], 0]);
    await setZone(EAST);
    await setZone(null);
    await beckon.worker.drain();
    expect(await membersOf(id)).toEqual([]);
  });

  it('the stored predicate keeps org, whatever the zone is', async () => {
    await identify('ann');
    const id = await create('Zoned', BEFORE);
    await settle();
    await setZone(EAST);
    await beckon.worker.drain();
    expect(await beckon.audiences.get(scope, id)).toMatchObject({ predicate: BEFORE, version: 1, memberCount: 1 });
    expect((await beckon.audiences.list(scope)).data[0]?.predicate).toEqual(BEFORE);
    expect(await beckon.audiences.explain(scope, id, 'ann')).toMatchObject({
      isMember: true,
      explanation: { verdict: 'true', leaf: BEFORE, actual: { value: TRAITS.day } },
    });
    await setZone(WEST);
    expect((await beckon.audiences.explain(scope, id, 'ann')).explanation).toMatchObject({
      verdict: 'false',
      leaf: BEFORE,
    });
  });

  it('a new zone recomputes the audiences that depend on it, and no others', async () => {
    await identify('ann');
    const list = (await beckon.audiences.create(scope, { name: 'List' })).id;
    const zoned = await create('Zoned', BEFORE);
    const outside = await create('Outside', { not: { audience: zoned, op: 'in' } });
    const further = await create('Further', { audience: outside, op: 'in' });
    const fixed = await create('Fixed', { ...BEFORE, timezone: 'Europe/Paris' });
    const ofProd = await create('Zoned', BEFORE, prod);
    await settle();
    expect([await membersOf(zoned), await membersOf(further)]).toEqual([[], ['ann']]);
    const others = [list, fixed, ofProd];
    const before = await Promise.all(others.map(rowOf));

    await setZone(EAST);
    expect(await Promise.all([zoned, outside, further].map((id) => statusOf(id)))).toEqual(Array(3).fill('computing'));
    expect(await Promise.all(others.map(rowOf))).toEqual(before);
    await settle();
    expect([await membersOf(zoned), await membersOf(outside), await membersOf(further)]).toEqual([['ann'], [], []]);
    expect(await Promise.all(others.map(rowOf))).toEqual(before);

    await setZone(EAST, prod);
    expect(await statusOf(ofProd, prod)).toBe('computing');
  });

  it('an unchanged zone or another setting recomputes nothing', async () => {
    await setZone(EAST);
    const id = await create('Zoned', BEFORE);
    await settle();
    const before = await rowOf(id);
    await setZone(EAST);
    await beckon.settings.update(scope, 'push', { addressFromTraits: false });
    await beckon.settings.update(scope, 'email', { orgDefaultTimezone: EAST, quietHours: { enabled: true } });
    expect(await rowOf(id)).toEqual(before);
    await setZone(null);
    expect(await rowOf(id)).toMatchObject({ stage: 'build', version: before.version });
  });

  it('a zone set by one process is used by another', async () => {
    const id = await create('Zoned', BEFORE);
    await beckon.worker.drain();
    await identifyElsewhere('ann');
    expect(await membersOf(id)).toEqual([]);
    await setZone(EAST);
    // The worker reads the zone when it starts a build, however fresh its cache is.
    await elsewhere.worker.drain();
    expect(await membersOf(id)).toEqual(['ann']);
    clock.advance(MAX_AGE_MS);
    await identifyElsewhere('bob');
    expect(await membersOf(id)).toEqual(['ann', 'bob']);
  });

  it('a minute after a new zone a second walk corrects users evaluated with the old one', async () => {
    await identify('ann');
    const id = await create('Zoned', BEFORE);
    await settle();
    await setZone(EAST);
    await beckon.worker.drain();
    // The state left by a process that read its definitions just before the change.
    await database.storage.db.delete(database.tables.audienceMembers);
    await settle();
    expect(await membersOf(id)).toEqual(['ann']);
  });

  it('the time of the next check follows the zone', async () => {
    await setZone(WEST);
    await identify('ann');
    const id = await create('Older', OLDER);
    await settle();
    // The day began at 05:00, so it is 18 hours old at 23:00; in UTC at 18:00.
    await setZone('UTC');
    await settle();
    clock.advance(Date.parse('2026-03-01T18:00:00Z') - clock.now().getTime() - 1);
    await beckon.worker.drain();
    expect(await membersOf(id)).toEqual([]);
    clock.advance(1);
    await beckon.worker.drain();
    expect(await membersOf(id)).toEqual(['ann']);
  });

  it('members are correct whichever process sets the zone last', async () => {
    for (const userId of ['ann', 'bob', 'cy']) await identify(userId);
    const id = await create('Zoned', BEFORE);
    await settle();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        ...[EAST, null].map((zone) => setZone(zone ?? null)),
        ...[EAST, WEST].map((zone) => elsewhere.settings.update(there, 'push', { orgDefaultTimezone: zone ?? null })),
        elsewhere.worker.drain(),
      ]);
      await settle();
      await elsewhere.worker.drain();
      const { orgDefaultTimezone } = await beckon.settings.get(scope, 'push');
      expect(await membersOf(id), `zone ${orgDefaultTimezone}`).toEqual(
        orgDefaultTimezone === EAST ? ['ann', 'bob', 'cy'] : [],
      );
    }
  });
});
