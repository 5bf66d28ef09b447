import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContractDatabase,
  commit,
  counter,
  outcomeOf,
  readCounters,
  tagged,
} from '../../../test/support/database/contract-database.ts';
import { openSample, type Place, postgresPlace } from '../../../test/support/database/open-sample.ts';
import { turnsUntil } from '../../delivery/transports/testing/turns.ts';
import { withDeadline } from '../../foundation/deadline.ts';
import { StorageError, timeoutOf } from '../errors.ts';

/** Without a deadline, no call here would end before the lock is released. */
const DEADLINE_MS = 600;

describe('deadlines behind a lock', () => {
  let place: Place;
  let database: ContractDatabase;
  let holder: pg.Client;
  const lock = async (mode = 'access exclusive'): Promise<void> => {
    await holder.query(`begin; lock table counters in ${mode} mode`);
  };
  /** Releases the lock and waits for all waiting calls. */
  const unlock = async (): Promise<void> => {
    await holder.query('commit');
    await holder.query('begin; lock table counters in access exclusive mode; commit');
  };
  const write = (id: string): ReturnType<typeof commit> =>
    commit(database.storage, tagged(database.hot.insertCounter, counter(id)));
  const insert = async (id: string): Promise<unknown> =>
    database.storage.db.insert(database.tables.counters).values(counter(id)).returning();
  const insertIn = (id: string): Promise<unknown> =>
    database.storage.transaction(async (db) => db.insert(database.tables.counters).values(counter(id)).returning());

  beforeAll(async () => {
    place = await postgresPlace();
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    database = await openSample(place.url, { poolSize: 3 });
    holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query('delete from counters');
  });
  afterEach(async () => {
    await holder.end();
    await database.close();
  });

  /** Duration of a call ended by a deadline, in milliseconds and turns of the event loop, and its outcome. */
  const ended = async (
    call: () => Promise<unknown>,
    deadlineMs = DEADLINE_MS,
  ): Promise<{ ms: number; turns: number; code: string | null }> => {
    const start = performance.now();
    const ending = outcomeOf(withDeadline(deadlineMs, call));
    const turns = await turnsUntil(ending);
    const outcome = await ending;
    return { ms: performance.now() - start, turns, code: 'error' in outcome ? timeoutOf(outcome.error) : 'none' };
  };

  it('a deadline ends every kind of write with a lock timeout, and nothing is written once the lock is free', async () => {
    await lock();
    for (const call of [() => write('a'), () => insert('b'), () => insertIn('c')]) {
      const { ms, code } = await ended(call);
      expect(code).toBe('LOCK_TIMEOUT');
      expect(ms).toBeGreaterThan(DEADLINE_MS - 300);
    }
    await unlock();
    expect([...(await readCounters(database, 'a', 'b', 'c')).keys()]).toEqual([]);
    await write('a');
    expect([...(await readCounters(database, 'a')).keys()]).toEqual(['a']);
  });

  it('a deadline ends reads in time, and the pool keeps its number of connections', async () => {
    await lock();
    const reads = [
      () => readCounters(database, 'a'),
      async () => database.storage.db.select().from(database.tables.counters),
    ];
    const results = await Promise.all([...reads, ...reads, ...reads].map((read) => ended(read)));
    for (const { code } of results) expect(['QUERY_TIMEOUT', 'DEADLINE_EXCEEDED']).toContain(code);
    await unlock();
    await Promise.all(['a', 'b', 'c'].map(write));
    expect((await readCounters(database, 'a', 'b', 'c')).size).toBe(3);
  });

  it('each statement of a transaction gets the rest of the deadline', async () => {
    const { storage, tables } = database;
    const call = () =>
      storage.transaction(async (db) => {
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        await lock('exclusive');
        await db.insert(tables.counters).values(counter('a')).returning();
      });
    const { turns, code } = await ended(call, 2_000);
    expect(code).toBe('LOCK_TIMEOUT');
    // With the full deadline again, it would end after more than 3 s.
    expect(turns).toBeLessThan(3_000);
    await unlock();
  });

  it('a deadline ends a wait for a connection, and the late connection is returned', async () => {
    const free = Promise.withResolvers<void>();
    const busy = Array.from({ length: 3 }, () => storage().transaction(() => free.promise));
    const { code } = await ended(() => write('a'));
    expect(code).toBe('DEADLINE_EXCEEDED');
    free.resolve();
    await Promise.all(busy);
    await Promise.all(Array.from({ length: 3 }, (_, at) => write(`b${at}`)));
    expect([...(await readCounters(database, 'a')).keys()]).toEqual([]);
  });
  const storage = (): ContractDatabase['storage'] => database.storage;

  it('a deadline ends a slow statement', async () => {
    const { code } = await ended(async () =>
      storage().transaction(async (db) => {
        const { counters } = database.tables;
        const { sql } = await import('drizzle-orm');
        await db.insert(counters).values(counter('a')).returning();
        await db.select({ slept: sql`pg_sleep(5)` }).from(counters);
      }),
    );
    expect(code).toBe('QUERY_TIMEOUT');
    expect(await outcomeOf(storage().db.select().from(database.tables.counters).execute())).toEqual({ value: [] });
    expect(timeoutOf(new StorageError('23505'))).toBe(null);
  });
});
