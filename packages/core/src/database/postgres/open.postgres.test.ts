import { inspect } from 'node:util';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  breathe,
  type ContractDatabase,
  commit,
  counter,
  outcomeOf,
  readCounters,
  tagged,
} from '../../../test/support/database/contract-database.ts';
import {
  emptySample,
  onServer,
  openSample,
  type Place,
  postgresPlace,
} from '../../../test/support/database/open-sample.ts';
import { sampleQueue } from '../../../test/support/database/sample.ts';
import { isUnavailable, StorageError } from '../errors.ts';
import { openDatabase } from '../open.ts';
import { bulkSelect, bulkUpdate } from '../statements/bulk.ts';
import { renderWrite } from '../statements/render.ts';
import { postgresWake } from './wake.ts';

const isOfLostConnection = (result: object): boolean => 'error' in result && isUnavailable(result.error);

describe('PostgreSQL storage', () => {
  let place: Place;
  const opened: ContractDatabase[] = [];
  const open = async (
    ...[options, settings = '']: [Parameters<typeof openSample>[1]?, string?]
  ): Promise<ContractDatabase> => {
    const url = new URL(place.url);
    if (settings) url.searchParams.set('options', settings);
    const database = await openSample(url.href, options);
    opened.push(database);
    return database;
  };
  /** Ends connections of this database as an administrator would: all but the caller's, or those of one kind. */
  const terminate = (where = 'true'): Promise<unknown> =>
    onServer(
      `select pg_terminate_backend(pid, 1000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and ${where}`,
      place.url,
    );

  beforeAll(async () => {
    place = await postgresPlace();
    await (await open()).close();
  });
  afterAll(() => place.remove());
  beforeEach(() => emptySample(place.url));
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });

  it('PostgreSQL storage counts its own commits', async () => {
    const { storage, hot } = await open();
    const before = storage.commits();
    await commit(storage, tagged(hot.insertOnce, counter('a')));
    expect(storage.commits()).toBe(before + 1);
    // Rejected by its guard: no commit that others wait for.
    await commit(storage, tagged(hot.insertOnce, counter('a')));
    expect(storage.commits()).toBe(before + 1);
  });

  describe('wake signals', () => {
    const write = ({ storage, hot }: ContractDatabase, id: string, topic: string): ReturnType<typeof commit> =>
      storage.commit({ writes: [tagged(hot.insertOnce, counter(id))], wakes: [topic] });

    it('a wake signal reaches another connection for a committed plan, not for one with a failed guard', async () => {
      const database = await open();
      const [other] = await database.connect(1);
      const woken: string[] = [];
      other?.wake.subscribe((topic) => woken.push(topic));
      await vi.waitFor(async () => {
        database.storage.wake.signal(['are you there']);
        await breathe();
        expect(woken).toContain('are you there');
      });
      expect(await write(database, 'a', 'first')).toEqual({ ok: true });
      expect(await write(database, 'a', 'refused')).toMatchObject({ ok: false });
      expect(await write(database, 'b', 'last')).toEqual({ ok: true });
      await vi.waitFor(() => expect(woken).toContain('last'));
      expect(woken.filter((topic) => topic !== 'are you there')).toEqual(['first', 'last']);
    });

    it('wake signals arrive again after the listening connection was lost', async () => {
      const pool = new pg.Pool({ connectionString: place.url, max: 3 });
      const errors: unknown[] = [];
      pool.on('error', () => undefined);
      const wake = postgresWake(pool, (error) => errors.push(error), { reconnectMs: 10 });
      const woken: string[] = [];
      wake.subscribe((topic) => woken.push(topic));
      const isHeard = (topic: string): Promise<void> =>
        vi.waitFor(async () => {
          wake.signal([topic]);
          await breathe();
          expect(woken).toContain(topic);
        });
      await isHeard('before');
      await terminate("query like 'listen%'");
      await isHeard('after');
      expect(errors).toHaveLength(1);
      await wake.close();
      await vi.waitFor(() => expect(pool.totalCount).toBe(pool.idleCount));
      await pool.end();
    });

    it('listening is retried while there is no server, and stops on close', async () => {
      const pool = new pg.Pool({ connectionString: 'postgres://beckon@127.0.0.1:1/none' });
      const errors: unknown[] = [];
      const wake = postgresWake(pool, (error) => errors.push(error), { reconnectMs: 1 });
      wake.subscribe(() => undefined);
      await vi.waitFor(() => expect(errors.length).toBeGreaterThan(2));
      await wake.close();
      const { length } = errors;
      await breathe(20);
      expect(errors).toHaveLength(length);
      await pool.end();
    });
  });

  describe('a claim', () => {
    const off = (...paths: readonly string[]): string => paths.map((path) => `-c enable_${path}=off`).join(' ');
    const NESTED_LOOP = off('hashjoin', 'mergejoin', 'material', 'memoize', 'hashagg', 'sort');
    const fill = ({ storage, hot }: ContractDatabase): Promise<unknown> => {
      const row = { scopeId: 1, note: null, leaseUntil: null, fence: 0 };
      const jobs = Array.from({ length: 250 }, (_, at) => ({ ...row, id: String(at), dueAt: new Date(0) }));
      return commit(storage, ...jobs.map((job) => tagged(hot.insertJob, job)));
    };
    const leased = async (): Promise<number> =>
      (await onServer('select 1 from jobs where lease_until is not null', place.url)).length;

    it.each([
      ['any join', ''],
      ['a nested loop', NESTED_LOOP],
      ['a nested loop over sequential scans', `${NESTED_LOOP} ${off('indexscan', 'bitmapscan', 'indexonlyscan')}`],
      ['a merge join', off('hashjoin', 'nestloop')],
    ])('a claim of 5 takes 5 rows under %s', async (_, settings) => {
      const database = await open({}, settings);
      await fill(database);
      expect(await database.storage.claim(sampleQueue(database.tables), 5, 30_000)).toHaveLength(5);
      expect(await leased()).toBe(5);
    });

    it('a claim skips locked rows without waiting', async () => {
      const database = await open();
      await fill(database);
      const holder = new pg.Client({ connectionString: place.url });
      await holder.connect();
      await holder.query('begin; select 1 from jobs order by due_at, id limit 3 for update');
      const rows = await database.storage.claim(sampleQueue(database.tables), 250, 30_000);
      await holder.end();
      expect(rows).toHaveLength(247);
    });

    it('a renewal skips a row that is being written, whose lease stays', async () => {
      const database = await open();
      await fill(database);
      const queue = sampleQueue(database.tables);
      const rows = await database.storage.claim(queue, 3, 30_000);
      const holder = new pg.Client({ connectionString: place.url });
      await holder.connect();
      await holder.query('begin');
      await holder.query('update jobs set note = $1 where id = $2', ['written', rows[0]?.id]);
      expect(await database.storage.renew(queue, rows, 600_000)).toHaveLength(3);
      await holder.end();
      const renewed = "select id from jobs where lease_until > now() + interval '300 s'";
      expect(await onServer(renewed, place.url)).toHaveLength(2);
    });

    it('a claim and its updates use the index after a table has grown', async () => {
      await onServer('analyze jobs', place.url);
      const walked = async (): Promise<number> => {
        const [row] = await onServer("select seq_tup_read from pg_stat_user_tables where relname = 'jobs'", place.url);
        return Number(row?.['seq_tup_read']);
      };
      const database = await open({ poolSize: 2 });
      const { storage, hot, tables } = database;
      const queue = sampleQueue(tables);
      const round = async (): Promise<void> => {
        const rows = await storage.claim(queue, 5, 30_000);
        await commit(storage, ...rows.map((row) => tagged(hot.finishJob, { ...row, note: 'done', dueAt: null })));
      };
      await fill(database);
      for (let at = 0; at < 12; at += 1) await round();
      await onServer(
        `insert into jobs (scope_id, id, due_at, fence)
         select 1, 'later ' || i, to_timestamp(0), 0 from generate_series(1, 20000) as i`,
        place.url,
      );
      const before = await walked();
      for (let at = 0; at < 12; at += 1) await round();
      await database.close();
      expect((await walked()) - before).toBeLessThan(20_000);
    });

    it('a claim of 5 would exceed its limit under a nested loop with a limited sub-select', async () => {
      await fill(await open());
      const client = new pg.Client({ connectionString: place.url, options: NESTED_LOOP });
      await client.connect();
      await client.query(
        `update jobs set lease_until = now() + interval '30 s' where id in (select id from jobs
         where due_at <= now() and lease_until is null order by due_at, id limit 5 for update skip locked)`,
      );
      await client.end();
      expect(await leased()).toBeGreaterThan(5);
    });
  });

  it('a plan is written again after a deadlock', async () => {
    let statements = 0;
    const observer = { statement: (id: string) => (statements += /add|change/.test(id) ? 1 : 0) };
    const database = await open({ observer }, '-c deadlock_timeout=5ms');
    const { storage, hot } = database;
    await commit(storage, ...['a', 'b'].map((id) => tagged(hot.insertCounter, counter(id, { total: 0 }))));
    const [add, see] = [tagged(hot.add, { id: 'a', value: 1 }), tagged(hot.change, { ...counter('b'), total: 1 })];
    // A common order of ranks prevents this elsewhere.
    const addFirst = { ...add, bulk: { ...add.bulk, rank: -1 } };
    let rounds = 0;
    // Two statements per plan; more means that a plan was written again.
    for (; statements === rounds * 4 && rounds < 500; rounds += 1)
      await Promise.all([commit(storage, addFirst, see), commit(storage, see, add)]);
    expect(statements).toBeGreaterThan(rounds * 4);
    const rows = await readCounters(database, 'a', 'b');
    expect([rows.get('a')?.value, rows.get('b')?.total]).toEqual([rounds * 2, rounds * 2]);
  });

  it('plans whose rows are locked in order never deadlock, in whatever order rows are written', async () => {
    let statements = 0;
    const observer = { statement: (id: string) => (statements += /add/.test(id) ? 1 : 0) };
    // A nested loop finds rows in the order in which they were inserted.
    const plan = ['hashjoin', 'mergejoin', 'seqscan', 'bitmapscan'].map((path) => `-c enable_${path}=off`).join(' ');
    const database = await open({ observer }, `-c deadlock_timeout=5ms ${plan}`);
    const { storage, hot } = database;
    const ids = Array.from({ length: 50 }, (_, at) => String(at));
    await commit(storage, ...ids.map((id) => tagged(hot.insertCounter, counter(id))));
    const rows = ids.map((id) => tagged(hot.addInOrder, { id, value: 1 }));
    const rounds = 50;
    for (let round = 0; round < rounds; round += 1)
      await Promise.all([commit(storage, ...rows), commit(storage, ...rows.toReversed())]);
    // One statement per plan; more means that a plan was written again after a deadlock.
    expect(statements).toBe(rounds * 2);
    expect((await readCounters(database, '0')).get('0')?.value).toBe(rounds * 2);
  });

  it('an update finds its rows by key, however rare its condition was in the last statistics', async () => {
    const { storage, hot, tables } = await open();
    const ids = Array.from({ length: 3_000 }, (_, at) => String(at));
    const job = { scopeId: 1, note: null, leaseUntil: null, fence: 1 };
    const writes = ids.map((id) => tagged(hot.insertJob, { ...job, id, dueAt: new Date(0) }));
    await commit(storage, ...writes);
    await onServer('analyze jobs', place.url);
    await storage.claim(sampleQueue(tables), ids.length, 60_000);
    const { text } = renderWrite(
      'postgres',
      bulkUpdate('test.settle', tables.jobs, {
        where: ['scopeId', 'id', 'fence'],
        set: { note: 'value', dueAt: 'value' },
        when: (column) => `${column('lease_until')} is not null`,
        rank: 0,
      }),
    );
    const row = (id: string) => ['done', null, 1, id, 2];
    const rows = ids.slice(0, 256).map(row);
    // As for wider rows, for which PostgreSQL builds no hash table.
    const options = '-c enable_hashjoin=off -c enable_mergejoin=off';
    const client = new pg.Client({ connectionString: place.url, options });
    await client.connect();
    const values = row('').map((_, at) => rows.map((cells) => cells[at]));
    const explained = await client.query({ text: `explain (analyze) ${text}`, values, rowMode: 'array' });
    await client.end();
    const plan = explained.rows.flat().join('\n');
    const joined = [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)].map(([, count]) => Number(count));
    expect(plan).toMatch(/Join|Nested Loop/);
    expect(Math.max(0, ...joined), plan).toBeLessThan(ids.length);
  });

  it('the server ends the transaction of a stopped process, and no other statement', async () => {
    const { storage, hot, tables } = await open();
    await commit(storage, tagged(hot.insertCounter, counter('a')));
    const limit = sql<string>`current_setting('idle_in_transaction_session_timeout')`;
    const ask = (db: typeof storage.db) => db.select({ limit }).from(tables.counters);
    expect(await storage.transaction((db) => ask(db))).toEqual([{ limit: '3s' }]);
    expect(await ask(storage.db)).toEqual([{ limit: '0' }]);
  });

  describe('a lost connection', () => {
    it('a connection lost in mid-transaction fails that transaction as unavailable, and the pool continues', async () => {
      const errors: unknown[] = [];
      const { storage, tables } = await open({ poolSize: 2, onError: (error) => errors.push(error) });
      for (let round = 0; round < 5; round += 1) {
        const result = await outcomeOf(
          storage.transaction(async (db) => {
            await db.insert(tables.counters).values(counter('lost'));
            await terminate();
            await breathe(5);
            await db.insert(tables.counters).values(counter('lost too'));
          }),
        );
        expect(isOfLostConnection(result)).toBe(true);
      }
      await storage.db.insert(tables.counters).values(counter('kept'));
      expect(await storage.db.select({ id: tables.counters.id }).from(tables.counters)).toEqual([{ id: 'kept' }]);
    });

    it('a connection lost while committing is reported as an unknown outcome', async () => {
      let isCut = true;
      const { storage, hot } = await open({
        observer: { beforeCommit: async () => (isCut ? void (await terminate()) : undefined) },
      });
      const result = await outcomeOf(commit(storage, tagged(hot.insertCounter, counter('a'))));
      expect(result).toEqual({ error: new StorageError('08007') });
      expect(isOfLostConnection(result)).toBe(false);
      isCut = false;
      expect(await commit(storage, tagged(hot.insertCounter, counter('a')))).toEqual({ ok: true });
    });

    it('a connection lost during a read fails as unavailable', async () => {
      const { storage, hot, tables } = await open();
      const locker = new pg.Client({ connectionString: place.url });
      await locker.connect();
      await locker.query('begin; lock table counters in access exclusive mode');
      const reads = [
        outcomeOf<unknown>(storage.select(hot.readCounters, [['a']])),
        outcomeOf<unknown>(storage.db.select().from(tables.counters).execute()),
      ];
      await vi.waitFor(async () => {
        const [waiting] = await onServer(
          "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          place.url,
        );
        expect(waiting).toEqual({ count: 2 });
      });
      await terminate("wait_event_type = 'Lock'");
      expect((await Promise.all(reads)).every(isOfLostConnection)).toBe(true);
      await locker.end();
      expect(await storage.select(hot.readCounters, [['a']])).toEqual([]);
    });

    it('a connection that cannot be made fails as unavailable', async () => {
      const { storage } = await openDatabase({ url: 'postgres://beckon@127.0.0.1:1/none' });
      const tries = [storage.now(), storage.transaction(async () => undefined)];
      const results = await Promise.all(tries.map((one) => outcomeOf<unknown>(one)));
      expect(results.every(isOfLostConnection)).toBe(true);
      await storage.close();
    });
  });

  it('a transaction that the server aborted unnoticed fails', async () => {
    const { storage, tables } = await open();
    await storage.db.insert(tables.counters).values(counter('there'));
    const result = await outcomeOf(
      storage.transaction(async (db) => {
        await db.insert(tables.counters).values(counter('lost'));
        // Sent, but neither awaited nor answered when the work ends.
        const unawaited = db.insert(tables.counters).values(counter('there')).execute();
        unawaited.catch(() => undefined);
        for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      }),
    );
    expect(result).toEqual({ error: new StorageError('25P02') });
    expect(await storage.db.select({ id: tables.counters.id }).from(tables.counters)).toEqual([{ id: 'there' }]);
  });

  it('the error of a failed read contains no values', async () => {
    const { storage, tables } = await open();
    const byNumber = bulkSelect('contract.by_number', tables.counters, ['value'], ['id']);
    const result = await outcomeOf(storage.select(byNumber, [['canary']]));
    expect(result).toEqual({ error: new StorageError('22P02') });
    expect(inspect(result, { depth: 20, showHidden: true })).not.toContain('canary');
  });

  it('an error of a background connection contains its code only', async () => {
    const errors: unknown[] = [];
    const { storage } = await open({ onError: (error) => errors.push(error) });
    await storage.now();
    await terminate();
    await vi.waitFor(() => expect(errors).toEqual([new StorageError('57P01')]));
  });

  it('close waits for calls that wait for a connection', async () => {
    const { storage, hot, tables, close } = await open({ poolSize: 2 });
    const writes = Array.from({ length: 40 }, (_, at) =>
      commit(storage, tagged(hot.insertCounter, counter(String(at)))),
    );
    const reads = Array.from({ length: 40 }, () => storage.db.select().from(tables.counters).execute());
    await close();
    expect(await Promise.all(writes)).toEqual(Array(40).fill({ ok: true }));
    expect(await Promise.all(reads)).toHaveLength(40);
  });

  it('a pool needs a connection besides the listening one', async () => {
    await expect(openDatabase({ url: place.url, poolSize: 1 })).rejects.toThrow(TypeError);
  });
});
