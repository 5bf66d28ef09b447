import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  breathe,
  type ContractDatabase,
  commit,
  counter,
  outcomeOf,
  readCounters,
  tagged,
} from '../../../test/support/database/contract-database.ts';
import { emptySample, openSample, type Place, postgresPlace } from '../../../test/support/database/open-sample.ts';
import { sampleQueue } from '../../../test/support/database/sample.ts';
import { StorageError } from '../errors.ts';
import type { PostgresClient } from './host.ts';

describe('joined transactions', () => {
  let place: Place;
  let pool: pg.Pool;
  let database: ContractDatabase;
  const clients: pg.PoolClient[] = [];
  beforeAll(async () => {
    place = await postgresPlace();
    pool = new pg.Pool({ connectionString: place.url });
    // The database is dropped while its connections are still closing.
    pool.on('error', () => undefined);
    await (await openSample(place.url)).close();
  });
  afterAll(async () => {
    await pool.end();
    await place.remove();
  });
  beforeEach(async () => {
    await emptySample(place.url);
    database = await openSample(place.url);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.release(true);
    await database.close();
  });
  const begin = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    clients.push(client);
    await client.query('begin');
    return client;
  };

  it("a plan with a failed guard leaves no trace in the host's transaction, and the next plan runs", async () => {
    const { storage, hot } = database;
    const client = await begin();
    const [refused, kept] = await storage.join(client, async () => [
      await commit(
        storage,
        tagged(hot.insertOnce, counter('a')),
        tagged(hot.insertOnce, counter('b')),
        tagged(hot.insertOnce, counter('a'), 'again'),
      ),
      await commit(storage, tagged(hot.insertOnce, counter('c'))),
    ]);
    await client.query('commit');
    expect([refused, kept]).toEqual([{ ok: false, failed: new Set(['again']) }, { ok: true }]);
    expect([...(await readCounters(database, 'a', 'b', 'c')).keys()]).toEqual(['c']);
  });

  it("a call that throws rolls back all of its plans and nothing of the host's", async () => {
    const { storage, hot, tables } = database;
    const client = await begin();
    await storage.join(client, () => commit(storage, tagged(hot.insertCounter, counter('before'))));
    const result = await outcomeOf(
      storage.join(client, async () => {
        await commit(storage, tagged(hot.insertCounter, counter('a')));
        // The server rejects this statement, and without a savepoint all that follow.
        await storage.db.insert(tables.counters).values(counter('a'));
      }),
    );
    expect(result).toEqual({ error: new StorageError('23505') });
    await client.query('commit');
    expect([...(await readCounters(database, 'before', 'a')).keys()]).toEqual(['before']);
  });

  it('a plan that lost a race is run once more, and then reported as a conflict', async () => {
    const { storage, hot } = database;
    const client = await begin();
    let losses = 0;
    const losing = (most: number): PostgresClient => ({
      query: async (text, values) => {
        const isWrite = typeof text !== 'string' && String(Reflect.get(text, 'text')).includes('insert');
        if (!isWrite || losses === most) return client.query(text, values);
        losses += 1;
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      },
    });
    const write = (id: string) => () => commit(storage, tagged(hot.insertOnce, counter(id)));
    expect(await storage.join(losing(1), write('a'))).toEqual({ ok: true });
    losses = 0;
    const told = { code: 'CONFLICT', details: { reason: 'transaction_conflict' } };
    await expect(storage.join(losing(2), write('b'))).rejects.toMatchObject(told);
    await client.query('commit');
    expect([...(await readCounters(database, 'a', 'b')).keys()]).toEqual(['a']);
  });

  it('a joined call reads its own writes, and outside the transaction what everybody sees', async () => {
    const { storage, hot, tables } = database;
    const client = await begin();
    await storage.join(client, async () => {
      await commit(storage, tagged(hot.insertCounter, counter('a')));
      expect((await readCounters(database, 'a')).size).toBe(1);
      expect(await storage.db.select().from(tables.counters)).toHaveLength(1);
      expect((await storage.outsideTransaction(() => readCounters(database, 'a'))).size).toBe(0);
      expect(await Promise.all(['a', 'a', 'a'].map((id) => readCounters(database, id)))).toHaveLength(3);
    });
    await client.query('rollback');
  });

  it('code that a joined call leaves running does not take part in the transaction', async () => {
    const { storage, hot } = database;
    const client = await begin();
    let late: Promise<unknown> | undefined;
    await storage.join(client, async () => {
      late = breathe().then(() => commit(storage, tagged(hot.insertCounter, counter('late'))));
    });
    await late;
    await client.query('rollback');
    expect((await readCounters(database, 'late')).size).toBe(1);
  });

  it("claims and transactions are rejected within a host's transaction", async () => {
    const { storage, tables } = database;
    const client = await begin();
    await storage.join(client, async () => {
      await expect(storage.claim(sampleQueue(tables), 1, 1_000)).rejects.toThrow('inside a transaction');
      await expect(storage.transaction(async () => undefined)).rejects.toThrow('inside a transaction');
      await expect(storage.join(client, async () => undefined)).rejects.toThrow('inside a transaction');
    });
    await client.query('commit');
  });

  it('a joined plan keeps its own lock timeout', async () => {
    const { storage, hot } = database;
    const client = await begin();
    await storage.join(client, () => commit(storage, tagged(hot.insertOnce, counter('a'))));
    const plan = { order: [hot.insertOnce], writes: [tagged(hot.insertOnce, counter('a'))], lockMs: 30 };
    expect(await outcomeOf(storage.commit(plan))).toEqual({ error: new StorageError('55P03') });
    await client.query('rollback');
    expect(await storage.commit(plan)).toEqual({ ok: true });
  });
});
