import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { namesOf } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { eventsEngine } from './events.ts';

const start = '2026-03-01T10:00:00.000Z';
const HOUR = 3_600_000;
const event = (fields: object = {}) => ({ module: 'app', eventType: 'opened', userId: 'ann', ...fields });
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('the events API', () => {
  const clock = virtualClock(start);
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let prod: Scope;
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
  });
  // One service for all tests; each test has its own tenant.
  beforeEach(async () => {
    clock.set(start);
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
  const stored = async (userId = 'ann', within = scope) =>
    (await beckon.profiles.events(within, userId, { limit: 200 })).data;

  it('a stored event has every field that was sent, its scope and time of reception', async () => {
    const said = {
      ...event({ anonymousId: 'a1', messageId: 'm1', sessionId: 's1' }),
      properties: { page: 1, list: [1, { a: null }] },
      traits: { plan: 'pro' },
      context: { locale: 'nl-BE', os: 'x' },
    };
    const { id } = await beckon.events.track(scope, { ...said, timestamp: '2026-03-01T09:00:00Z' });
    expect(await stored()).toEqual([
      {
        ...said,
        ...namesOf(scope),
        id,
        source: 'customer',
        timestamp: new Date('2026-03-01T09:00:00Z'),
        receivedAt: new Date(start),
      },
    ]);
  });

  it('an event with a timestamp before the year 1000 has the time of reception', async () => {
    for (const timestamp of ['0000-01-01', '0001-01-01T00:00:00', '1000-01-01'])
      await beckon.events.track(scope, event({ timestamp, sentAt: start }));
    await beckon.events.track(scope, event({ timestamp: '0000-01-01', sentAt: '9999-12-31' }));
    const now = new Date(start);
    expect((await stored()).map(({ timestamp }) => timestamp)).toEqual([now, new Date('1000-01-01'), now, now]);
  });

  it('timestamps stay within the years 1000 to 9999 after clock correction', async () => {
    const edges = ['0000-01-01', '0001-01-01T00:00:00+23:59', '0999-12-31', '1000-01-01', start, '9999-12-31'];
    edges.push('9999-12-31T23:59:59.999-23:59', '9999-12-31T24:00:00Z');
    const batch = edges.flatMap((timestamp) => [undefined, ...edges].map((sentAt) => event({ timestamp, sentAt })));
    expect(await beckon.events.batch(scope, { batch, sentAt: '9999-12-31' })).toMatchObject({
      accepted: batch.length,
      rejected: [],
    });
    for (const timestamp of edges)
      await beckon.events.identify(scope, { userId: 'ann', traits: {}, timestamp, sentAt: edges[0] });
    for (const { timestamp } of await stored()) {
      expect(timestamp.getTime()).toBeGreaterThanOrEqual(Date.parse('1000-01-01'));
      expect(timestamp.getTime()).toBeLessThanOrEqual(Date.parse(start) + 24 * HOUR);
    }
  });

  it('prod and test share neither profiles nor message ids', async () => {
    await beckon.events.track(scope, event({ messageId: 'm1', properties: { n: 1 } }));
    await beckon.events.track(prod, event({ messageId: 'm1', properties: { n: 2 } }));
    expect(await stored()).toMatchObject([{ properties: { n: 1 }, environment: 'test' }]);
    expect(await stored('ann', prod)).toMatchObject([{ properties: { n: 2 }, environment: 'prod' }]);
    await expect(beckon.events.track(prod, event({ messageId: 'm1' }))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('two projects share neither profiles nor message ids', async () => {
    const { orgId } = scope;
    const other = await beckon.tenancy.createProject({ orgId, name: 'Other' });
    const elsewhere = await beckon.tenancy.scope({ orgId, projectId: other.id, environment: 'test' });
    for (const one of [scope, elsewhere]) await beckon.events.track(one, event({ messageId: 'm1' }));
    expect(await stored()).toHaveLength(1);
    expect(await stored('ann', elsewhere)).toHaveLength(1);
  });

  it("a profile's events are listed newest first, with a cursor that only fits this profile", async () => {
    await beckon.events.batch(
      scope,
      times(5, (n) => event({ properties: { n } })),
    );
    await beckon.events.track(scope, event({ userId: 'bob' }));
    const first = await beckon.profiles.events(scope, 'ann', { limit: 3 });
    const cursor = first.pagination.nextCursor ?? '';
    const second = await beckon.profiles.events(scope, 'ann', { limit: 3, cursor });
    const n = [...first.data, ...second.data].map(({ properties }) => properties['n']);
    expect(n).toEqual([4, 3, 2, 1, 0]);
    expect(second.pagination).toMatchObject({ hasMore: false, nextCursor: null });
    await expect(beckon.profiles.events(scope, 'bob', { cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('a retry within 72 hours returns the first id; at 72 hours it is a new event', async () => {
    const first = await beckon.events.track(scope, event({ messageId: 'm1' }));
    clock.advance(72 * HOUR - 1);
    await expect(beckon.events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'duplicate', id: first.id },
    });
    clock.advance(1);
    const second = await beckon.events.track(scope, event({ messageId: 'm1' }));
    expect(second.id).not.toBe(first.id);
    clock.advance(72 * HOUR - 1);
    await expect(beckon.events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({
      details: { id: second.id },
    });
  });

  it('maintenance keeps a messageId for its 72 hours', async () => {
    await beckon.events.track(scope, event({ messageId: 'm1' }));
    clock.advance(72 * HOUR - 1);
    await beckon.worker.drain();
    await expect(beckon.events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it("of two concurrent requests with one messageId, the later is rejected with the first's id", async () => {
    const both = await Promise.allSettled(
      [1, 2].map((n) => beckon.events.track(scope, event({ messageId: 'm1', properties: { n }, traits: { n } }))),
    );
    const [kept] = await stored();
    expect(both).toMatchObject([
      { status: 'fulfilled', value: { id: kept?.id, accepted: true } },
      { status: 'rejected', reason: { code: 'CONFLICT', details: { reason: 'duplicate', id: kept?.id } } },
    ]);
    expect(await stored()).toMatchObject([{ properties: { n: 1 } }]);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({ n: 1 });
  });

  it('a repeated identify call changes nothing', async () => {
    await beckon.events.identify(scope, { userId: 'ann', messageId: 'm1', traits: { n: 1 } });
    const again = beckon.events.identify(scope, {
      userId: 'ann',
      anonymousId: 'a1',
      messageId: 'm1',
      traits: { n: 2 },
    });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({ n: 1 });
    await beckon.events.track(scope, event({ userId: undefined, anonymousId: 'a1' }));
    expect(await stored()).toHaveLength(1);
  });

  describe('batches of events', () => {
    it('a batch counts known and repeated messageIds as duplicates', async () => {
      await beckon.events.track(scope, event({ messageId: 'known' }));
      const ids = ['known', 'a', 'a', 'b', undefined, undefined];
      const answer = await beckon.events.batch(scope, { batch: ids.map((messageId) => event({ messageId })) });
      expect(answer).toEqual({ accepted: 4, duplicates: 2, rejected: [] });
      expect(await stored()).toHaveLength(5);
    });

    it('a batch has 1 to 500 events', async () => {
      expect(
        await beckon.events.batch(
          scope,
          times(500, () => event()),
        ),
      ).toMatchObject({ accepted: 500 });
      for (const batch of [times(501, () => event()), []])
        for (const body of [batch, { batch }])
          await expect(beckon.events.batch(scope, body)).rejects.toMatchObject({
            code: 'VALIDATION_ERROR',
            details: { fieldErrors: { batch: [expect.any(String)] } },
          });
    });

    it.each([['text'], [{ batch: {} }], [{}], [null]])(
      'a batch body without an array of events is rejected: %j',
      async (body) => {
        await expect(beckon.events.batch(scope, unchecked(body))).rejects.toMatchObject({
          details: { fieldErrors: { batch: [expect.any(String)] } },
        });
      },
    );

    it('invalid events of a batch are rejected by index; the others are stored', async () => {
      const batch = [event(), event({ module: '' }), event(), unchecked(null)];
      const answer = await beckon.events.batch(scope, batch);
      expect(answer).toMatchObject({ accepted: 2, duplicates: 0 });
      expect(answer.rejected.map(({ index, code }) => [index, code])).toEqual([
        [1, 'VALIDATION_ERROR'],
        [3, 'VALIDATION_ERROR'],
      ]);
      expect(answer.rejected[0]?.fieldErrors).toEqual({ module: [expect.any(String)] });
    });

    it('a batch is rejected as a whole only if no event is valid', async () => {
      await expect(beckon.events.batch(scope, [event({ module: '' }), unchecked(1)])).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { rejected: [{ index: 0 }, { index: 1 }], fieldErrors: { module: [expect.any(String)] } },
      });
    });

    it('the rejection of an event repeats no text of the client', async () => {
      const word = 'canary7f3c';
      const long = 'x'.repeat(200);
      const bad: object[] = [
        event({ module: word.repeat(10) }),
        event({ properties: { [word]: times(1_001, () => word) } }),
        event({ properties: { [word]: { [`${word}.${word}`]: { [`a\0${word}`]: 1 } } } }),
        event({ traits: { [`${word}${long}`]: 1 } }),
        event({ context: { [word]: { [`\0${word}`]: 1 } } }),
        event({ timestamp: word, userId: [word], [word]: word }),
        [word],
      ];
      const batch = unchecked([event(), ...bad]);
      const answer = await beckon.events.batch(scope, batch);
      expect(answer.rejected.map(({ index }) => index)).toEqual(bad.map((_, at) => at + 1));
      expect(answer.rejected.map(({ fieldErrors }) => Object.keys(fieldErrors))).toEqual([
        ...[['module'], ['properties'], ['properties'], ['traits'], ['context']],
        ...[['userId', 'timestamp'], ['body']],
      ]);
      const whole = await beckon.events.batch(scope, unchecked(bad)).catch((error: unknown) => error);
      expect(whole).toMatchObject({ code: 'VALIDATION_ERROR', details: { rejected: answer.rejected.map(() => ({})) } });
      const said = JSON.stringify([answer, whole instanceof Error && 'details' in whole && whole.details]);
      expect(said).not.toContain(word);
      expect(said).not.toContain(long.slice(0, 20));
    });

    it("timestamps of a batch are corrected by the batch's sentAt or their own", async () => {
      const timestamp = '2026-03-01T08:00:00Z';
      const batch = [
        event({ timestamp, properties: { n: 0 } }),
        event({ timestamp, sentAt: start, properties: { n: 1 } }),
      ];
      await beckon.events.batch(scope, { batch, sentAt: '2026-03-01T09:00:00' });
      const at = (await stored()).map(({ timestamp, properties }) => [properties['n'], timestamp.toISOString()]);
      expect(at).toEqual([
        [1, '2026-03-01T08:00:00.000Z'],
        [0, '2026-03-01T09:00:00.000Z'],
      ]);
    });

    it.each(['2026', 'soon', 5, null])('a sentAt of %j is rejected', async (sentAt) => {
      await expect(beckon.events.batch(scope, { batch: [event()], sentAt: unchecked(sentAt) })).rejects.toMatchObject({
        details: { fieldErrors: { sentAt: [expect.any(String)] } },
      });
    });
  });

  describe('events under overload', () => {
    const overloaded = { code: 'OVERLOADED', retryAfterSeconds: 1 };
    /** Writes nothing, because the test is about waiting events. */
    const engine = () => {
      const { storage, tables } = database;
      return eventsEngine({ storage, tables, clock, ids: uuidV7Ids(clock), reactions: [] });
    };

    it('more than 20,000 waiting events are shed, a batch as a whole', async () => {
      const events = engine();
      const waiting = times(19_900, () => events.track(scope, event(), { bytes: 0 }));
      await expect(
        events.batch(
          scope,
          times(101, () => event()),
          { bytes: 0 },
        ),
      ).rejects.toMatchObject(overloaded);
      const last = events.batch(
        scope,
        times(100, () => event()),
        { bytes: 0 },
      );
      await expect(events.track(scope, event(), { bytes: 0 })).rejects.toMatchObject(overloaded);
      expect(await last).toMatchObject({ accepted: 100 });
      await Promise.all(waiting);
      await events.track(scope, event());
    });

    it('more than 16 MB of waiting events are shed, a batch as a whole', async () => {
      const events = engine();
      const bytes = 16 * 1_024 * 1_024 - 2_048;
      const waiting = events.track(scope, event(), { bytes });
      await expect(events.batch(scope, [event(), event()], { bytes: 1_000 })).rejects.toMatchObject(overloaded);
      await expect(events.track(scope, event(), { bytes: 2_000 })).rejects.toMatchObject(overloaded);
      await events.batch(scope, [event(), event()], { bytes: 512 });
      await waiting;
      await events.track(scope, event(), { bytes: 2_000 });
    });

    it('an event counts the size of its JSON if no size is passed', async () => {
      const events = engine();
      const large = event({ properties: { text: 'x'.repeat(9 * 1_024 * 1_024) } });
      const first = events.track(scope, large);
      await expect(events.track(scope, large)).rejects.toMatchObject(overloaded);
      await first;
    });

    it('events are rejected after the service closed', async () => {
      const events = engine();
      const last = events.track(scope, event());
      await events.close();
      expect(await last).toMatchObject({ accepted: true });
      await expect(events.track(scope, event())).rejects.toMatchObject(overloaded);
      await expect(events.batch(scope, [event()])).rejects.toMatchObject(overloaded);
    });
  });
});
