import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { scopeLike } from '../../../test/support/scopes.ts';
import { TEST } from '../../../test/support/sends/world.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { idempotencyEngine } from './idempotency.ts';
import type { Once } from './once.ts';

const START = '2026-03-01T12:00:00.000Z';
const request = { key: 'k-1', route: 'POST /email/send', bodyHash: 'a'.repeat(64) };

describe('a request with an idempotency key', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock(START);
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const engine = (storage = database.storage) =>
    idempotencyEngine({ storage, tables: database.tables, clock, ids: uuidV7Ids(clock) });
  const rows = () => database.storage.db.select().from(database.tables.idempotencyKeys);

  it('a request runs once, and then gets the same response for 24 hours', async () => {
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

  it('an idempotency key is separate per scope and route', async () => {
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

  it('a request with another body is rejected, also while the first one runs', async () => {
    const { run } = engine();
    const other = { ...request, bodyHash: 'b'.repeat(64) };
    const mismatch = { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } };
    await run(TEST, request, async () => {
      await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
    });
    await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
  });

  it('a repeated request gets a conflict while the first one runs, for at most 30 seconds', async () => {
    const { run } = engine();
    const inProgress = { code: 'CONFLICT', details: { reason: 'idempotency_in_progress' }, retryAfterSeconds: 1 };
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const first = run(TEST, request, async (once) => {
      begun.resolve();
      const answer = await gate.promise;
      const { storage } = database;
      const committed = await storage.commit({ writes: once.writes(answer, clock.now()) });
      if (!committed.ok) throw once.lost();
      return answer;
    });
    await begun.promise;
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(29_999);
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(1);
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: false, answer: 'second' });
    // After its mark expired, a request may neither respond nor write what it would have created.
    gate.resolve('first');
    await expect(first).rejects.toMatchObject(inProgress);
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  /** Stores a response as a module does, together with its rows. */
  const writeAnswer = async (once: Once, answer: unknown): Promise<void> => {
    const plan = { writes: once.writes(answer, clock.now()) };
    if (!(await database.storage.commit(plan)).ok) throw once.lost();
  };

  it('a stored response is kept, also if its request fails afterwards', async () => {
    const { run } = engine();
    const failing = run(TEST, request, async (once) => {
      await writeAnswer(once, { id: 'sent' });
      throw new Error('the connection broke before the commit was answered');
    });
    await expect(failing).rejects.toThrow('the connection broke');
    clock.advance(86_400_000 - 1);
    const never = async () => 'a second send';
    expect(await run(TEST, request, never)).toEqual({ isReplayed: true, answer: { id: 'sent' } });
  });

  it('a response stored with its rows is returned for 24 hours', async () => {
    const { run, sweep } = engine();
    const first = await run(TEST, request, async (once) => {
      await writeAnswer(once, 'first');
      return 'first';
    });
    expect(first).toEqual({ isReplayed: false, answer: 'first' });
    clock.advance(86_400_000 - 1);
    await sweep();
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: true, answer: 'first' });
    clock.advance(1);
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: false, answer: 'third' });
  });

  it('a response is written once, with its rows', async () => {
    let commits = 0;
    const { storage } = database;
    const counted = {
      ...storage,
      commit: (plan: Parameters<typeof storage.commit>[0]) => {
        commits += 1;
        return storage.commit(plan);
      },
    };
    await engine(counted).run(TEST, request, async (once) => {
      await counted.commit({ writes: once.writes('told', clock.now()) });
      return 'told';
    });
    // The mark and the response.
    expect(commits).toBe(2);
    const inside = { ...request, key: 'k-2' };
    await engine(counted).run(TEST, inside, async (once) => {
      await storage.transaction((db) => once.inTransaction(db, 'told', clock.now()));
      return 'told';
    });
    expect(commits).toBe(3);
  });

  it('a response stored in a separate transaction is returned for 24 hours', async () => {
    const { run } = engine();
    await run(TEST, request, async (once) => {
      const answer = { id: 'sent' };
      await database.storage.transaction((db) => once.inTransaction(db, answer, clock.now()));
      return answer;
    });
    clock.advance(86_400_000 - 1);
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: true, answer: { id: 'sent' } });
    clock.advance(1);
    expect(await run(TEST, request, async () => 'third')).toMatchObject({ isReplayed: false });
  });

  it('a transaction whose key another request holds writes nothing', async () => {
    const { run } = engine();
    const late = run(TEST, request, async (once) => {
      clock.advance(30_000);
      await run(TEST, request, async () => 'second');
      return database.storage.transaction((db) => once.inTransaction(db, 'first', clock.now()));
    });
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'idempotency_in_progress' } });
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  it("a request that fails after its mark expired leaves another request's mark alone", async () => {
    const { run } = engine();
    const gate = Promise.withResolvers<string>();
    const late = run(TEST, request, async () => {
      clock.advance(30_000);
      const second = run(TEST, request, () => gate.promise);
      await expect
        .poll(async () => (await rows()).map(({ expiresAt }) => expiresAt.getTime()))
        .toEqual([clock.now().getTime() + 30_000]);
      setImmediate(() => gate.resolve('second'));
      void second;
      throw new Error('too late');
    });
    await expect(late).rejects.toThrow('too late');
    await expect.poll(() => run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  it('a key may be used for another body once its mark or response has expired', async () => {
    const { run } = engine();
    const other = { ...request, bodyHash: 'b'.repeat(64) };
    await run(TEST, request, async () => 1);
    clock.advance(86_400_000);
    expect(await run(TEST, other, async () => 2)).toEqual({ isReplayed: false, answer: 2 });
    const mismatch = { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } };
    await expect(run(TEST, request, async () => 3)).rejects.toMatchObject(mismatch);
    expect(await run(TEST, other, async () => 4)).toEqual({ isReplayed: true, answer: 2 });
  });

  it('a failed request may be tried again at once', async () => {
    const { run } = engine();
    const refused = async () => {
      throw new Error('no provider');
    };
    await expect(run(TEST, request, refused)).rejects.toThrow('no provider');
    expect(await rows()).toEqual([]);
    expect(await run(TEST, request, async () => 1)).toEqual({ isReplayed: false, answer: 1 });
  });

  it('twenty concurrent requests through four processes run once', async () => {
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

  it('an idempotency key has 1 to 256 characters', async () => {
    const { run } = engine();
    for (const key of ['', 'k'.repeat(257), 'a\0b', 'a\nb'])
      await expect(run(TEST, { ...request, key }, async () => 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await run(TEST, { ...request, key: 'k'.repeat(256) }, async () => 1)).toMatchObject({ isReplayed: false });
  });

  it('maintenance deletes expired keys', async () => {
    const { run, sweep } = engine();
    await run(TEST, request, async () => 1);
    clock.advance(3_600_000);
    await run(TEST, { ...request, key: 'k-2' }, async () => 2);
    clock.advance(86_400_000 - 3_600_000);
    expect(await sweep()).toBe(false);
    expect((await rows()).map(({ key }) => key)).toEqual(['k-2']);
  });

  it('an expired response is not returned while its key is used again', async () => {
    const { run } = engine();
    await run(TEST, request, async () => 'old');
    clock.advance(86_400_000);
    const inProgress = { code: 'CONFLICT', details: { reason: 'idempotency_in_progress' } };
    const anew = await run(TEST, request, async () => {
      await expect(run(TEST, request, async () => 'beside')).rejects.toMatchObject(inProgress);
      return 'new';
    });
    expect(anew).toEqual({ isReplayed: false, answer: 'new' });
  });

  it('a repeated request gets its own response, not that of another one', async () => {
    const { run } = engine();
    const keys = [request, { ...request, key: 'k-2' }, { ...request, route: 'POST /sms/send' }];
    for (const [at, one] of keys.entries()) await run(TEST, one, async () => at);
    for (const [at, one] of keys.entries())
      expect(await run(TEST, one, async () => 'again')).toEqual({ isReplayed: true, answer: at });
  });

  it('maintenance keeps a key that was reused after it was read as expired', async () => {
    const { storage } = database;
    const { run } = engine();
    await run(TEST, request, async () => 'first');
    await run(TEST, { ...request, key: 'k-2' }, async () => 'other');
    clock.advance(86_400_000);
    // Between the read and the delete of maintenance.
    const db: typeof storage.db = Object.create(storage.db, {
      delete: {
        value: (table: typeof database.tables.idempotencyKeys) => ({
          where: async (...condition: Parameters<ReturnType<typeof storage.db.delete>['where']>) => {
            await run(TEST, request, async () => 'anew');
            await storage.db.delete(table).where(...condition);
          },
        }),
      },
    });
    await engine({ ...storage, db }).sweep();
    expect((await rows()).map(({ key, answer }) => [key, answer])).toEqual([['k-1', '"anew"']]);
    expect(await run(TEST, request, async () => 'again')).toEqual({ isReplayed: true, answer: 'anew' });
  });

  it('maintenance deletes keys in pieces of two hundred, the oldest first', async () => {
    const { run, sweep } = engine();
    for (let at = 0; at < 201; at += 1) {
      await run(TEST, { ...request, key: `k-${at}` }, async () => at);
      clock.advance(1);
    }
    // No key has expired, so maintenance deletes nothing.
    expect(await sweep()).toBe(false);
    expect(await rows()).toHaveLength(201);
    clock.advance(86_400_000);
    expect(await sweep()).toBe(true);
    expect((await rows()).map(({ key }) => key)).toEqual(['k-200']);
    expect(await sweep()).toBe(false);
    expect(await rows()).toEqual([]);
  });
});
