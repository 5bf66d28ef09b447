import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { WriteSet } from '../../database/commit/write-set.ts';
import { StorageError } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { profilesEngine } from '../profiles/profiles.ts';
import { dedupe } from './dedupe.ts';
import { eventsEngine } from './events.ts';
import { bindReaction } from './pipeline.ts';
import { eventStatements } from './statements.ts';
import { storeEvents } from './store-events.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const start = '2026-03-01T10:00:00.000Z';

/** Two engines over one database act as two processes. */
const engineOver = (storage: Storage, { tables }: TestDatabase, clock = virtualClock(start), log?: Log) => {
  const hot = eventStatements(tables);
  const profiles = profilesEngine({ storage, tables });
  const events = eventsEngine({
    storage,
    tables,
    clock,
    ids: uuidV7Ids(clock),
    log,
    reactions: [
      bindReaction(dedupe(storage, hot)),
      bindReaction(profiles.reactionBefore([])),
      bindReaction(storeEvents(hot)),
    ],
  });
  const reads = profiles.reads({
    events: events.listOf,
    messages: async () => ({ data: [], pagination: { limit: 0, hasMore: false, nextCursor: null } }),
    devices: async () => [],
    audiences: async () => [],
  });
  return { events, profiles, reads, clock };
};

describe('ingest', () => {
  let database: TestDatabase;
  let statements: string[];
  beforeEach(async () => {
    statements = [];
    database = await openTestDatabase({ observer: { statement: (id) => statements.push(id) } });
  });
  afterEach(() => database.close());
  const engine = (clock = virtualClock(start)) => engineOver(database.storage, database, clock);
  const event = (fields: object = {}) => ({ module: 'app', eventType: 'opened', userId: 'ann', ...fields });

  it('an event is stored, creates its profile and returns its id', async () => {
    const { events, reads } = engine();
    const { id } = await events.track(scope, event({ properties: { page: 1 }, messageId: 'm1' }));
    const { data } = await reads.events(scope, 'ann');
    expect(data).toMatchObject([{ id, eventType: 'opened', userId: 'ann', properties: { page: 1 }, messageId: 'm1' }]);
    expect(await reads.get(scope, 'ann')).toMatchObject({ userId: 'ann', traits: {}, createdAt: new Date(start) });
  });

  it('a known messageId returns the id of its event', async () => {
    const { events, reads } = engine();
    const { id } = await events.track(scope, event({ messageId: 'm1' }));
    await expect(events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'duplicate', id },
    });
    expect((await reads.events(scope, 'ann')).data).toHaveLength(1);
  });

  it('of two equal messageIds in one batch, the first is stored', async () => {
    const { events, reads } = engine();
    const both = await Promise.allSettled([1, 2].map(() => events.track(scope, event({ messageId: 'm1' }))));
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await reads.events(scope, 'ann')).data).toHaveLength(1);
  });

  it('a messageId may be used again after 72 hours', async () => {
    const clock = virtualClock(start);
    const { events, reads } = engine(clock);
    await events.track(scope, event({ messageId: 'm1' }));
    clock.advance(72 * 3_600_000 - 1);
    await expect(events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({ code: 'CONFLICT' });
    clock.advance(1);
    await events.track(scope, event({ messageId: 'm1' }));
    await expect(events.track(scope, event({ messageId: 'm1' }))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await reads.events(scope, 'ann')).data).toHaveLength(2);
  });

  it('maintenance deletes expired message ids only', async () => {
    const clock = virtualClock(start);
    const { events } = engine(clock);
    await events.track(scope, event({ messageId: 'old' }));
    clock.advance(72 * 3_600_000);
    await events.track(scope, event({ messageId: 'new' }));
    clock.advance(1);
    expect(await events.sweep()).toBe(false);
    const left = await database.storage.db.select().from(database.tables.eventMessageIds);
    expect(left.map(({ messageId }) => messageId)).toEqual(['new']);
  });

  it('traits are merged, null removes one, and the event names the changed traits', async () => {
    const { events, reads } = engine();
    await events.identify(scope, { userId: 'ann', traits: { plan: 'free', city: 'Ghent', age: 3 } });
    await events.identify(scope, { userId: 'ann', traits: { plan: 'pro', city: null, age: 3 } });
    expect((await reads.get(scope, 'ann')).traits).toEqual({ plan: 'pro', age: 3 });
    const { data } = await reads.events(scope, 'ann');
    expect(data.map(({ eventType, properties }) => [eventType, properties])).toEqual([
      ['user.identified', { traits: ['plan', 'city'] }],
      ['user.identified', { traits: ['plan', 'city', 'age'] }],
    ]);
  });

  it('message ids that look alike but differ in bytes are different', async () => {
    const { events, reads } = engine();
    // A letter with combining accent, the composed letter, and its full-width form.
    const written = ['e\u0301', '\u00e9', '\uff45'];
    for (const [at, userId] of written.entries()) {
      await events.identify(scope, { userId, traits: Object.fromEntries(written.map((name) => [name, at])) });
      await events.track(scope, event({ userId, eventType: userId, messageId: userId }));
    }
    for (const [at, userId] of written.entries()) {
      expect((await reads.get(scope, userId)).traits).toEqual(Object.fromEntries(written.map((name) => [name, at])));
      expect((await reads.events(scope, userId)).data.map(({ eventType }) => eventType)).toContain(userId);
      expect((await reads.events(scope, userId)).data).toHaveLength(2);
    }
  });

  it('identify calls of one user are applied in the order of acceptance', async () => {
    const { events, reads } = engine();
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => events.identify(scope, { userId: 'ann', traits: { step: at } })),
    );
    expect((await reads.get(scope, 'ann')).traits).toEqual({ step: 49 });
  });

  it("identify moves traits and events of the anonymous profile; the user's own traits win", async () => {
    const { events, reads, profiles } = engine();
    await events.track(scope, event({ userId: undefined, anonymousId: 'a1' }));
    await events.track(scope, event({ userId: 'ann', traits: { plan: 'pro' } }));
    await events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: { city: 'Ghent' } });
    await events.track(scope, event({ userId: undefined, anonymousId: 'a1' }));
    expect((await reads.get(scope, 'ann')).traits).toEqual({ plan: 'pro', city: 'Ghent' });
    const ids = async () => (await reads.events(scope, 'ann')).data.map(({ id }) => id);
    const before = await ids();
    expect(before).toHaveLength(4);
    expect(await profiles.moveMerged({ devices: async () => undefined, events: events.move })).toBe(false);
    expect(await ids()).toEqual(before);
    expect(await database.storage.db.select().from(database.tables.profiles)).toHaveLength(1);
  });

  it('only the first identify of an anonymous id records the alias', async () => {
    const { events } = engine();
    await events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: {} });
    await events.identify(scope, { userId: 'bob', anonymousId: 'a1', traits: {} });
    const rows = await database.storage.db.select().from(database.tables.aliases);
    expect(rows).toMatchObject([{ anonymousId: 'a1', userId: 'ann' }]);
  });

  it('concurrent changes of one user by two processes are all kept', async () => {
    const one = engine();
    const two = engine();
    const rounds = 40;
    await Promise.all(
      Array.from({ length: rounds }, async (_, at) => {
        const who = at % 2 === 0 ? one : two;
        await who.events
          .identify(scope, { userId: 'ann', messageId: `m${at >> 1}`, traits: { [`t${at}`]: at } })
          .catch((error) => {
            if (error.code !== 'CONFLICT') throw error;
          });
      }),
    );
    const { traits } = await one.reads.get(scope, 'ann');
    const { data } = await one.reads.events(scope, 'ann', { limit: 200 });
    // Each messageId was used twice; exactly one of the two calls took effect as a whole.
    expect(data).toHaveLength(rounds / 2);
    expect(Object.keys(traits).sort()).toEqual(data.flatMap(({ properties }) => properties.traits as string[]).sort());
  });

  it('an event is stored once when the answer to its commit is lost', async () => {
    const { storage } = database;
    let isLost = true;
    const commit: Storage['commit'] = async (plan) => {
      const done = await storage.commit(plan);
      if (!isLost) return done;
      isLost = false;
      throw new StorageError('08007');
    };
    const { events, reads } = engineOver({ ...storage, commit }, database);
    const both = await Promise.allSettled([1, 2].map((n) => events.track(scope, event({ properties: { n } }))));
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await reads.events(scope, 'ann')).data).toHaveLength(2);
  });

  it('an event that cannot be written is rejected alone', async () => {
    const { storage } = database;
    const commit: Storage['commit'] = async (plan) => {
      if (plan.writes.some(({ row }) => row['eventType'] === 'poison')) throw new StorageError('22000');
      return storage.commit(plan);
    };
    const { events, reads } = engineOver({ ...storage, commit }, database);
    const types = Array.from({ length: 100 }, (_, at) => (at === 42 ? 'poison' : 'fine'));
    const all = await Promise.allSettled(types.map((eventType) => events.track(scope, event({ eventType }))));
    expect(all.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([42]);
    expect((await reads.events(scope, 'ann', { limit: 200 })).data).toHaveLength(99);
  });

  describe('failures within a batch', () => {
    const said: unknown[] = [];
    beforeEach(() => said.splice(0));
    /** A database that fails the commit of an event type with the given error. */
    const over = (refusals: Readonly<Record<string, string>>) => {
      const { storage } = database;
      const commit: Storage['commit'] = async (plan) => {
        for (const { row } of plan.writes) {
          const code = refusals[`${row['eventType']}`];
          if (code !== undefined) throw new StorageError(code);
        }
        return storage.commit(plan);
      };
      const log = { info: () => {}, warn: () => {}, error: (...line: unknown[]) => said.push(line) };
      return engineOver({ ...storage, commit }, database, virtualClock(start), log);
    };
    const typed = (...types: readonly string[]) => types.map((eventType) => event({ eventType }));

    it('when the database rejects one event, the others are stored and the answer names it', async () => {
      const { events, reads } = over({ poison: '22P02' });
      const batch = [event({ module: '' }), ...typed('fine', 'poison', 'fine'), event({ module: '' })];
      expect(await events.batch(scope, batch)).toEqual({
        accepted: 2,
        duplicates: 0,
        rejected: [
          { index: 0, code: 'VALIDATION_ERROR', fieldErrors: { module: [expect.any(String)] } },
          { index: 2, code: 'INTERNAL', fieldErrors: {} },
          { index: 4, code: 'VALIDATION_ERROR', fieldErrors: { module: [expect.any(String)] } },
        ],
      });
      expect((await reads.events(scope, 'ann')).data).toHaveLength(2);
      expect(said).toEqual([[{ scopeId: scope.scopeId, error: new StorageError('22P02') }, expect.any(String)]]);
    });

    it('the answer distinguishes retryable rejections from permanent ones', async () => {
      // The first event, so that the batch is then written one by one.
      const { events } = over({ poison: '23514', away: 'SQLITE_BUSY' });
      const answer = await events.batch(scope, typed('poison', 'away', 'fine'));
      expect(answer).toMatchObject({ accepted: 1, rejected: [{ code: 'INTERNAL' }, { code: 'OVERLOADED' }] });
      expect(said).toHaveLength(1);
    });

    it.each(['22021', '54000', 'SQLITE_TOOBIG'])(
      'a batch is rejected if the database fails it with %s',
      async (code) => {
        const { events } = over({ poison: code });
        await expect(events.batch(scope, typed('poison', 'poison'))).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          details: { rejected: [0, 1].map((index) => ({ index, code: 'INTERNAL', fieldErrors: {} })) },
        });
      },
    );

    it.each(['42P01', '08007', 'SQLITE_CORRUPT'])(
      'a batch fails with %s if no event was stored and none is at fault',
      async (code) => {
        const { events } = over({ poison: code });
        await expect(events.batch(scope, typed('poison', 'poison'))).rejects.toEqual(new StorageError(code));
      },
    );
  });

  it('a thousand events of known profiles use few bulk statements', async () => {
    const { events } = engine();
    const people = Array.from({ length: 50 }, (_, at) => `u${at}`);
    await Promise.all(people.map((userId) => events.track(scope, event({ userId }))));
    const commits: WriteSet[] = [];
    const { storage } = database;
    const commit: Storage['commit'] = (plan) => {
      commits.push(plan);
      return storage.commit(plan);
    };
    const counted = engineOver({ ...storage, commit }, database).events;
    statements = [];
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        counted.track(scope, event({ userId: people[at % 50], messageId: `m${at}` })),
      ),
    );
    const rows = commits.flatMap(({ writes }) => writes.map(({ bulk }) => bulk.id));
    expect(rows.filter((id) => id === 'events.insert')).toHaveLength(1_000);
    expect(rows.filter((id) => id === 'events.insert_message_id')).toHaveLength(1_000);
    expect(rows).toHaveLength(2_000);
    expect(commits.length).toBeLessThan(100);
    expect(statements.filter((id) => id === 'sql')).toEqual([]);
    // Per flush: two reads (message ids, profiles) and two writes.
    expect(statements.length).toBeLessThanOrEqual(4 * commits.length);
  });
});
