import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { write } from '../../database/commit/write-set.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { utf8Bytes } from '../../foundation/json.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { profilesEngine } from './profiles.ts';

const start = '2026-03-01T10:00:00.000Z';
const MINUTE = 60_000;
const at = (ms: number): Date => new Date(Date.parse(start) + ms);
const x = (count: number): string => 'x'.repeat(count);
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('profiles', () => {
  const clock = virtualClock(start);
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let prod: Scope;
  let statements: string[] = [];
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon(
      { db: database.url, masterKey: newMasterKey(), clock },
      { observer: { statement: (id) => statements.push(id) } },
    );
  });
  // One service for all tests; each test has its own tenant.
  beforeEach(async () => {
    clock.set(start);
    statements = [];
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const names = { orgId: org.id, projectId: project.id };
    scope = await beckon.tenancy.scope({ ...names, environment: 'test' });
    prod = await beckon.tenancy.scope({ ...names, environment: 'prod' });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const track = (fields: object, within = scope) =>
    beckon.events.track(within, { module: 'app', eventType: 'opened', ...fields });
  const identify = (traits: Readonly<Record<string, unknown>>, fields: object = {}, within = scope) =>
    beckon.events.identify(within, { userId: 'ann', traits, ...fields });
  const ann = (within = scope) => beckon.profiles.get(within, 'ann');
  const eventsOf = async (userId = 'ann', within = scope) =>
    (await beckon.profiles.events(within, userId, { limit: 200 })).data;
  /** Sets traits of an anonymous profile, as a workflow step can; events cannot. */
  const giveAnonymous = async (anonymousId: string, set: object, fields: object = {}) => {
    const trigger = { eventType: 'given', filters: {} };
    const steps = [{ type: 'update_profile', config: { set: unchecked(set) } }] as const;
    const workflow = { name: `Give ${anonymousId}`, description: null, isActive: true, trigger, steps };
    await beckon.workflows.importBundle(scope, { version: 1, exportedAt: start, workflows: [workflow] });
    await track({ anonymousId, eventType: 'given', ...fields });
    await beckon.worker.drain();
  };

  describe('traits', () => {
    it('identify calls and events that name the user set traits', async () => {
      await identify({ plan: 'free', city: 'Ghent' });
      await track({ userId: 'ann', traits: { plan: 'pro', city: null } });
      expect((await ann()).traits).toEqual({ plan: 'pro' });
    });

    it('traits of an anonymous event are never applied', async () => {
      await track({ anonymousId: 'a1', traits: { plan: 'pro' } });
      await identify({ city: 'Ghent' }, { anonymousId: 'a1' });
      await track({ anonymousId: 'a1', traits: { plan: 'pro' } });
      expect((await ann()).traits).toEqual({ city: 'Ghent' });
    });

    it('traits are applied in the order of acceptance, also within a batch', async () => {
      const traits = times(20, (n) => ({ n, [`t${n}`]: n, [`t${n - 1}`]: null }));
      await Promise.all(traits.map((one) => identify(one)));
      expect((await ann()).traits).toEqual({ n: 19, t19: 19 });
    });

    it('equal traits with another key order change nothing', async () => {
      await identify({ plan: 'pro', address: { zip: 9000, city: 'Ghent' } });
      statements = [];
      await identify({ address: { city: 'Ghent', zip: 9000 }, plan: 'pro' });
      await identify({ missing: null });
      expect((await eventsOf()).map(({ properties }) => properties)).toEqual([
        { traits: [] },
        { traits: [] },
        { traits: ['plan', 'address'] },
      ]);
      expect(statements).not.toContain('profiles.change');
    });

    it('a truncation mark set by the client is ignored', async () => {
      await identify({ _truncated: true, plan: 'pro' });
      await track({ userId: 'ann', traits: { _truncated: 1 } });
      const profile = await ann();
      expect(profile.traits).toEqual({ plan: 'pro' });
      expect(profile).not.toHaveProperty('_truncated');
    });

    it('the truncation of an oversized call marks the event and the profile', async () => {
      await identify({ bio: x(20_000) });
      const { traits } = await ann();
      expect(Object.keys(traits)).toEqual(['bio']);
      expect(await ann()).toMatchObject({ _truncated: true });
      const [told] = await eventsOf();
      expect(told).toMatchObject({ traits: { _truncated: true }, properties: { traits: ['bio'] } });
      await identify({ bio: 'x' });
      expect((await eventsOf())[0]?.traits).toEqual({ bio: 'x' });
    });
  });

  describe('bounds', () => {
    it('a profile stores 64 KB of traits to the byte and is marked when some were dropped', async () => {
      const parts = times(4, (n) => ({ [`p${n}`]: x(16_000) }));
      for (const part of parts) await identify(part);
      const before = (await ann()).traits;
      const fill = 65_536 - utf8Bytes({ ...before, p4: '' });
      await identify({ p4: x(fill + 1) });
      expect(await ann()).toMatchObject({ traits: before, _truncated: true });
      await identify({ p4: x(fill) });
      const { traits } = await ann();
      expect(utf8Bytes(traits)).toBe(65_536);
      expect((await eventsOf()).slice(0, 2).map(({ properties }) => properties)).toEqual([
        { traits: ['p4'] },
        { traits: [] },
      ]);
    });

    it('a profile stores 1,000 traits and stays marked once some were dropped', async () => {
      await identify(Object.fromEntries(times(1_000, (n) => [`t${n}`, n])));
      expect(await ann()).not.toHaveProperty('_truncated');
      await identify({ t0: 'changed', more: 1 });
      const { traits, ...rest } = await ann();
      expect(rest).toMatchObject({ _truncated: true });
      expect(traits).toMatchObject({ t0: 'changed' });
      expect(traits).not.toHaveProperty('more');
      await identify({ t1: null, more: 1 });
      expect(await ann()).toMatchObject({ traits: { more: 1 }, _truncated: true });
      statements = [];
      await identify({ more: 1 });
      expect(statements).not.toContain('profiles.change');
    });
  });

  describe('lastSeenAt', () => {
    const seen = async () => (await ann()).lastSeenAt;

    it('lastSeenAt is set by the first event and again after a minute', async () => {
      await track({ userId: 'ann' });
      expect(await ann()).toMatchObject({ createdAt: at(0), lastSeenAt: at(0) });
      clock.advance(MINUTE - 1);
      await track({ userId: 'ann' });
      expect(await seen()).toEqual(at(0));
      clock.advance(1);
      await track({ userId: 'ann' });
      expect(await ann()).toMatchObject({ createdAt: at(0), lastSeenAt: at(MINUTE) });
    });

    it('lastSeenAt is set by every change of a trait', async () => {
      await identify({ n: 1 });
      clock.advance(1);
      await identify({ n: 2 });
      expect(await seen()).toEqual(at(1));
    });

    it("lastSeenAt is the time of reception, not the event's timestamp", async () => {
      await track({ userId: 'ann', timestamp: '2026-03-01T20:00:00Z' });
      expect(await seen()).toEqual(at(0));
    });

    it('lastSeenAt is the latest time of a batch', async () => {
      const first = track({ userId: 'ann' });
      clock.advance(-10 * MINUTE);
      await Promise.all([first, track({ userId: 'ann' })]);
      expect(await seen()).toEqual(at(0));
    });

    it('lastSeenAt never moves back', async () => {
      await identify({ n: 1 });
      clock.advance(-10 * MINUTE);
      await track({ userId: 'ann', context: { locale: 'nl' } });
      await identify({ n: 2 });
      expect(await ann()).toMatchObject({ traits: { n: 2 }, locale: 'nl', lastSeenAt: at(0) });
    });

    it('lastSeenAt is the latest time that two processes write', async () => {
      const { storage, tables } = database;
      const { hot, load } = profilesEngine({ storage, tables });
      const key = { ...scope, person: 'u:ann' };
      const row = { ...key, traits: {}, version: 1, isTruncated: false, locale: null, timezone: null };
      const commit = async (one: ReturnType<typeof write>) => storage.commit({ writes: [one] });
      await commit(write(hot.insert, { ...row, createdAt: at(0), lastSeenAt: at(5) }));
      await commit(write(hot.see, { ...key, locale: 'nl', timezone: null, lastSeenAt: at(4) }));
      await commit(write(hot.change, { ...row, locale: 'nl', lastSeenAt: at(3) }));
      expect([...(await load([key])).values()]).toMatchObject([{ lastSeenAt: at(5), locale: 'nl', version: 2 }]);
      await commit(write(hot.see, { ...key, locale: 'nl', timezone: null, lastSeenAt: at(6) }));
      expect([...(await load([key])).values()]).toMatchObject([{ lastSeenAt: at(6) }]);
    });
  });

  describe('locale and time zone', () => {
    it('locale and time zone come from the newest event context that has them', async () => {
      await track({ userId: 'ann', context: { locale: 'nl-BE', timezone: 'Europe/Brussels' } });
      await track({ userId: 'ann', context: { locale: 'en-GB' } });
      await track({ userId: 'ann' });
      await identify({ locale: 'fr', timezone: 'UTC' });
      expect(await ann()).toMatchObject({ locale: 'en-GB', timezone: 'Europe/Brussels' });
    });

    it('an event after one that changed traits also updates locale and time zone', async () => {
      const from = (locale: string, traits?: Record<string, unknown>) =>
        track({ userId: 'ann', context: { locale }, ...(traits ? { traits } : {}) });
      await from('en');
      await from('en');
      await from('fr', { n: 1 });
      await from('en');
      expect(await ann()).toMatchObject({ locale: 'en', traits: { n: 1 } });
    });

    it('a locale must be text of at most 64 characters, otherwise it is ignored', async () => {
      const context = (locale: unknown) => track({ userId: 'ann', context: { locale } });
      for (const value of [x(64), x(65), '', 5, null, {}]) await context(value);
      expect(await ann()).toMatchObject({ locale: x(64) });
    });

    it('a UTC offset is a valid time zone, and an invalid zone does not reject the event', async () => {
      const context = (timezone: unknown) => track({ userId: 'ann', context: { timezone } });
      await context('Etc/Unknown');
      expect(await ann()).toMatchObject({ timezone: null });
      await context('GMT+05:30');
      for (const value of ['Mars/Olympus', 'UTC+99', '', 'Europe/Paris\u0000', x(9_000), 5, null, {}])
        await context(value);
      expect(await ann()).toMatchObject({ timezone: '+05:30' });
    });

    it('an identify call sets locale and time zone with and without traits', async () => {
      await identify({ n: 1 }, { context: { locale: 'nl', timezone: 'UTC' } });
      expect(await ann()).toMatchObject({ locale: 'nl', timezone: 'UTC' });
      await identify({}, { context: { locale: 'fr' } });
      expect(await ann()).toMatchObject({ locale: 'fr', timezone: 'UTC' });
    });
  });

  describe('merging an anonymous profile into a user', () => {
    it('anonymous traits fill missing ones; traits of the user and the call win', async () => {
      await giveAnonymous('a1', { plan: 'free', city: 'Ghent', color: 'red' });
      await identify({ plan: 'pro' });
      await identify({ city: 'Bruges' }, { anonymousId: 'a1' });
      expect((await ann()).traits).toEqual({ plan: 'pro', city: 'Bruges', color: 'red' });
      expect(statements).toContain('profiles.absorb');
    });

    it('anonymous traits that no longer fit are dropped', async () => {
      await giveAnonymous('a1', { color: 'red' });
      await identify(Object.fromEntries(times(1_000, (n) => [`t${n}`, n])));
      await identify({}, { anonymousId: 'a1' });
      const profile = await ann();
      expect(Object.keys(profile.traits)).toHaveLength(1_000);
      expect(profile).toMatchObject({ _truncated: true });
    });

    it('the anonymous locale and time zone apply if the user has none', async () => {
      await track({ anonymousId: 'a1', context: { locale: 'nl', timezone: 'Europe/Brussels' } });
      await track({ userId: 'ann', context: { locale: 'fr' } });
      await identify({}, { anonymousId: 'a1' });
      expect(await ann()).toMatchObject({ locale: 'fr', timezone: 'Europe/Brussels' });
    });

    it('a new user gets the creation time of the anonymous profile, an existing one does not', async () => {
      await track({ userId: 'bob' });
      await track({ anonymousId: 'a1' });
      await track({ anonymousId: 'a2' });
      clock.advance(MINUTE);
      await identify({}, { anonymousId: 'a1' });
      expect(await ann()).toMatchObject({ createdAt: at(0), lastSeenAt: at(MINUTE) });
      clock.advance(-2 * MINUTE);
      await track({ anonymousId: 'a3' });
      await identify({}, { userId: 'bob', anonymousId: 'a3' });
      expect((await beckon.profiles.get(scope, 'bob')).createdAt).toEqual(at(0));
    });

    it('later events and events of the same batch belong to the user', async () => {
      await track({ anonymousId: 'a1' });
      await Promise.all([
        track({ anonymousId: 'a1' }),
        identify({}, { anonymousId: 'a1' }),
        track({ anonymousId: 'a1' }),
      ]);
      await track({ anonymousId: 'a1', context: { locale: 'nl' } });
      expect(await eventsOf()).toHaveLength(5);
      expect(new Set((await eventsOf()).map(({ anonymousId }) => anonymousId))).toEqual(new Set(['a1']));
      expect((await ann()).locale).toBe('nl');
    });

    it('an anonymous id stays with the first user that it was identified as', async () => {
      await giveAnonymous('a1', { color: 'red' });
      await Promise.all([
        identify({}, { anonymousId: 'a1' }),
        identify({ n: 1 }, { userId: 'bob', anonymousId: 'a1' }),
      ]);
      await identify({ n: 2 }, { userId: 'bob', anonymousId: 'a1' });
      await track({ anonymousId: 'a1' });
      expect((await ann()).traits).toEqual({ color: 'red' });
      expect((await beckon.profiles.get(scope, 'bob')).traits).toEqual({ n: 2 });
      expect(await eventsOf()).toHaveLength(3);
      expect(await eventsOf('bob')).toHaveLength(2);
    });

    it('an event that names both ids does not merge them', async () => {
      await giveAnonymous('a1', { color: 'red' });
      await track({ userId: 'ann', anonymousId: 'a1' });
      await track({ anonymousId: 'a1' });
      expect((await ann()).traits).toEqual({});
      expect(await eventsOf()).toHaveLength(1);
    });

    it('more than 1,000 events are listed for the user before and after maintenance moved them', async () => {
      for (const batch of times(5, () => times(500, () => ({ module: 'app', eventType: 'opened', anonymousId: 'a1' }))))
        await beckon.events.batch(scope, batch);
      await track({ anonymousId: 'a2' });
      await identify({}, { anonymousId: 'a1' });
      const count = async () => {
        let cursor: string | undefined;
        const ids = new Set<string>();
        do {
          const page = await beckon.profiles.events(scope, 'ann', { limit: 200, cursor });
          for (const { id } of page.data) ids.add(id);
          cursor = page.pagination.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return ids.size;
      };
      expect(await count()).toBe(2_501);
      await beckon.worker.drain();
      expect(await count()).toBe(2_501);
    });

    it('identifying a user in test does not identify them in prod', async () => {
      for (const one of [scope, prod]) await track({ anonymousId: 'a1' }, one);
      await identify({ n: 1 }, { anonymousId: 'a1' });
      for (const one of [scope, prod]) await track({ anonymousId: 'a1' }, one);
      await beckon.worker.drain();
      await identify({ n: 2 }, {}, prod);
      expect(await eventsOf()).toHaveLength(3);
      expect(await eventsOf('ann', prod)).toHaveLength(1);
      expect((await ann()).traits).toEqual({ n: 1 });
      await identify({}, { userId: 'bob', anonymousId: 'a1' }, prod);
      await beckon.worker.drain();
      expect(await eventsOf('bob', prod)).toHaveLength(3);
      expect(await eventsOf()).toHaveLength(3);
      await Promise.all([scope, prod].map((one) => track({ anonymousId: 'a1' }, one)));
      expect(await eventsOf('bob', prod)).toHaveLength(4);
      expect(await eventsOf()).toHaveLength(4);
    });
  });

  describe('reads', () => {
    it('a profile is read by its user id in its environment only', async () => {
      await identify({ n: 1 });
      for (const read of [beckon.profiles.get, beckon.profiles.events, beckon.profiles.sends]) {
        await expect(read(prod, 'ann')).rejects.toMatchObject({ code: 'NOT_FOUND' });
        await expect(read(scope, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
    });

    it('the list has identified users in pages, ordered by id', async () => {
      for (const userId of ['cid', 'ann', 'bob']) await identify({}, { userId });
      await track({ anonymousId: 'a1' });
      await identify({}, { userId: 'dan' }, prod);
      const first = await beckon.profiles.list(scope, { limit: 2 });
      const cursor = first.pagination.nextCursor ?? '';
      const second = await beckon.profiles.list(scope, { limit: 2, cursor });
      expect([...first.data, ...second.data].map(({ userId }) => userId)).toEqual(['ann', 'bob', 'cid']);
      expect(second.pagination.hasMore).toBe(false);
      await expect(beckon.profiles.list(prod, { cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    });
  });
});
