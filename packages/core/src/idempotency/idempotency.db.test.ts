import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/database.ts';
import { scopeLike } from '../../test/scopes.ts';
import { type VirtualClock, virtualClock } from '../primitives/clock.ts';
import { uuidV7Ids } from '../primitives/ids.ts';
import { openWorld, TEST } from '../sending/testing/world.ts';
import { idempotencyEngine } from './idempotency.ts';
import { writesOf } from './once.ts';

const START = '2026-03-01T12:00:00.000Z';
const request = { key: 'k-1', route: 'POST /email/send', bodyHash: 'a'.repeat(64) };

describe('a request with a key of its own', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock(START);
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const engine = () =>
    idempotencyEngine({ storage: database.storage, tables: database.tables, clock, ids: uuidV7Ids(clock) });
  const rows = () => database.storage.db.select().from(database.tables.idempotencyKeys);

  it('is answered once, and then the same again for 24 hours', async () => {
    const { run } = engine();
    let count = 0;
    const work = async () => {
      count += 1;
      return { at: clock.now(), count };
    };
    const first = await run(TEST, request, work);
    expect(first).toEqual({ isReplayed: false, answer: { at: new Date(START), count: 1 } });
    clock.advance(86_400_000 - 1);
    expect(await run(TEST, request, work)).toEqual({ isReplayed: true, answer: { at: START, count: 1 } });
    clock.advance(1);
    expect(await run(TEST, request, work)).toMatchObject({ isReplayed: false, answer: { count: 2 } });
  });

  it('is another request in another scope, on another route and with another key', async () => {
    const { run } = engine();
    let count = 0;
    const work = async () => {
      count += 1;
      return count;
    };
    await run(TEST, request, work);
    for (const scope of [
      scopeLike(TEST, { orgId: 'b' }),
      scopeLike(TEST, { projectId: 'b' }),
      scopeLike(TEST, { environment: 'prod' }),
    ])
      expect(await run(scope, request, work)).toMatchObject({ isReplayed: false });
    expect(await run(TEST, { ...request, route: 'POST /sms/send' }, work)).toMatchObject({ isReplayed: false });
    expect(await run(TEST, { ...request, key: 'k-2' }, work)).toMatchObject({ isReplayed: false });
    expect(count).toBe(6);
  });

  it('is refused with another body, also while the first one runs', async () => {
    const { run } = engine();
    const other = { ...request, bodyHash: 'b'.repeat(64) };
    const mismatch = { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } };
    await run(TEST, request, async () => {
      await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
    });
    await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
  });

  it('is told to come back while the first one runs, for at most 30 seconds', async () => {
    const { run } = engine();
    const inProgress = { code: 'CONFLICT', details: { reason: 'idempotency_in_progress' }, retryAfterSeconds: 1 };
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const first = run(TEST, request, async (token) => {
      const once = writesOf(token);
      begun.resolve();
      const answer = await gate.promise;
      const { storage } = database;
      const committed = await storage.commit({ order: once.order, writes: once.writes(answer, clock.now()) });
      if (!committed.ok) throw once.lost();
      return answer;
    });
    await begun.promise;
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(29_999);
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(1);
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: false, answer: 'second' });
    // What lapsed may not answer any more, nor write what it would have created.
    gate.resolve('first');
    await expect(first).rejects.toMatchObject(inProgress);
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  it('may be tried again at once when it failed', async () => {
    const { run } = engine();
    const refused = async () => {
      throw new Error('no provider');
    };
    await expect(run(TEST, request, refused)).rejects.toThrow('no provider');
    expect(await rows()).toEqual([]);
    expect(await run(TEST, request, async () => 1)).toEqual({ isReplayed: false, answer: 1 });
  });

  it('is done once when twenty come at the same time through four processes', async () => {
    const engines = Array.from({ length: 4 }, engine);
    let count = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        engines[at % 4]?.run(TEST, request, async () => {
          count += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return count;
        }),
      ),
    );
    expect(count).toBe(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' });
  });

  it('names itself in 1 to 256 characters', async () => {
    const { run } = engine();
    for (const key of ['', 'k'.repeat(257), 'a\0b', 'a\nb'])
      await expect(run(TEST, { ...request, key }, async () => 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await run(TEST, { ...request, key: 'k'.repeat(256) }, async () => 1)).toMatchObject({ isReplayed: false });
  });

  it('is forgotten by upkeep once its time is over', async () => {
    const { run, sweep } = engine();
    await run(TEST, request, async () => 1);
    clock.advance(3_600_000);
    await run(TEST, { ...request, key: 'k-2' }, async () => 2);
    clock.advance(86_400_000 - 3_600_000);
    expect(await sweep()).toBe(false);
    expect((await rows()).map(({ key }) => key)).toEqual(['k-2']);
  });
});

describe('a send with a key of its own', () => {
  it('is written with its answer, or not at all', async () => {
    const world = await openWorld();
    const { storage, tables, clock } = world;
    const { run } = idempotencyEngine({ storage, tables, clock, ids: uuidV7Ids(clock) });
    const body = { to: 'ann@example.com', subject: 'Hi', text: 'There' };
    let isDown = true;
    const send = () => run(TEST, request, (once) => world.email.send(TEST, body, { once }));
    world.observer.statement = (id) => {
      if (isDown && id === 'sending.insert_message') throw new Error('the disk is full');
    };
    await expect(send()).rejects.toThrow('the disk is full');
    isDown = false;
    const first = await send();
    const again = await send();
    expect(again).toEqual({ isReplayed: true, answer: JSON.parse(JSON.stringify(first.answer)) });
    expect(await storage.db.select().from(tables.sends)).toHaveLength(1);
    await world.close();
  });
});
