import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/database/errors.ts';
import {
  breathe,
  type ContractDatabase,
  commit,
  counter,
  type OpenContractDatabase,
  outcomeOf,
  readCounters,
  tagged,
} from './contract-database.ts';
import { sampleQueue } from './sample.ts';

const ids = async (database: ContractDatabase): Promise<string[]> =>
  (await database.storage.db.select({ id: database.tables.counters.id }).from(database.tables.counters))
    .map(({ id }) => id)
    .sort();

/** A resolved commit is on disk: in a group, after a failure and while closing. */
export const commitsContract = (openContract: OpenContractDatabase): void => {
  describe('a commit', () => {
    it('a commit settles only when it is durable', async () => {
      const held = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const database = await openContract({
        observer: {
          beforeCommit: () => {
            reached.resolve();
            return held.promise;
          },
        },
      });
      let isSettled = false;
      const writing = commit(database.storage, tagged(database.hot.insertCounter, counter('a'))).finally(() => {
        isSettled = true;
      });
      await reached.promise;
      await breathe(20);
      expect(isSettled).toBe(false);
      held.resolve();
      expect(await writing).toEqual({ ok: true });
      expect(await ids(database)).toEqual(['a']);
    });

    it('a commit that may be lost is stored as any other, and its guards hold', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      const written = (id: string) =>
        storage.commit({ writes: [tagged(hot.insertOnce, counter(id))], mayBeLost: true });
      expect(await Promise.all([written('a'), commit(storage, tagged(hot.insertOnce, counter('b')))])).toEqual([
        { ok: true },
        { ok: true },
      ]);
      expect(await written('a')).toEqual({ ok: false, failed: new Set(['a']) });
      expect(await ids(database)).toEqual(['a', 'b']);
    });

    it.each([1, 7, 8, 9, 16, 21])('a commit of %i new rows stores each of them with its own values', async (count) => {
      const database = await openContract();
      const { storage, hot } = database;
      const rows = Array.from({ length: count }, (_, at) => counter(`row ${at}`, { value: at, label: `of ${at}` }));
      await commit(storage, ...rows.map((row) => tagged(hot.insertCounter, row)));
      const stored = await readCounters(database, ...rows.map(({ id }) => id));
      expect(rows.map(({ id }) => stored.get(id))).toMatchObject(rows.map(({ value, label }) => ({ value, label })));
      expect(stored.size).toBe(count);
    });

    it('a commit of many new rows of which one exists stores none', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('11')));
      const rows = Array.from({ length: 20 }, (_, at) => tagged(hot.insertCounter, counter(String(at))));
      await expect(commit(storage, ...rows)).rejects.toThrow(StorageError);
      expect(await ids(database)).toEqual(['11']);
    });

    it('of 100 commits, one bad one is rejected and 99 are stored', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('50')));
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          outcomeOf(
            commit(
              storage,
              tagged(hot.insertIfNew, counter(`beside ${at}`)),
              tagged(hot.insertCounter, counter(String(at))),
            ),
          ),
        ),
      );
      const rejected = results.flatMap((result, at) => ('error' in result ? [at] : []));
      expect(rejected).toEqual([50]);
      expect(await ids(database)).toHaveLength(199);
      expect((await readCounters(database, 'beside 50')).size).toBe(0);
    });

    it('of many commits, those that pass their guards are stored', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, at) =>
          commit(
            storage,
            tagged(hot.insertIfNew, counter(`of ${at}`)),
            tagged(hot.insertOnce, counter(String(at % 20)), `tag ${at}`),
          ),
        ),
      );
      const losers = results.flatMap((result, at) => (result.ok ? [] : [[result.failed, new Set([`tag ${at}`])]]));
      expect(losers).toHaveLength(40);
      for (const [told, expected] of losers) expect(told).toEqual(expected);
      expect(await ids(database)).toHaveLength(40);
    });

    it('a commit that fails rejects every plan in it and stores none, and the next one succeeds', async () => {
      let isFailing = true;
      const database = await openContract({
        observer: {
          beforeCommit: () => {
            if (isFailing) throw new Error('no commit today');
          },
        },
      });
      const write = (id: string): ReturnType<typeof commit> =>
        commit(database.storage, tagged(database.hot.insertCounter, counter(id)));
      const results = await Promise.all(Array.from({ length: 10 }, (_, at) => outcomeOf(write(String(at)))));
      for (const result of results) expect(result).toEqual({ error: new Error('no commit today') });
      isFailing = false;
      expect(await write('after')).toEqual({ ok: true });
      expect(await ids(database)).toEqual(['after']);
    });
  });

  describe('closing', () => {
    it('closing writes everything submitted before and rejects the rest', async () => {
      const database = await openContract();
      const { storage, hot, tables } = database;
      // On a separate connection if possible: this one will be closed.
      const [reader] = await database.connect(1);
      const before = Array.from({ length: 50 }, (_, at) =>
        commit(storage, tagged(hot.insertCounter, counter(String(at)))),
      );
      const transaction = storage.transaction(async (db) => {
        await breathe(3);
        await db.insert(tables.counters).values(counter('transaction'));
      });
      const closing = storage.close();
      const late = [
        commit(storage, tagged(hot.insertCounter, counter('late'))),
        storage.select(hot.readCounters, [['0']]),
        storage.db.select().from(tables.counters).execute(),
        storage.transaction(async () => undefined),
        storage.claim(sampleQueue(tables), 1, 1_000),
      ];
      for (const result of await Promise.all(late.map((one) => outcomeOf<unknown>(one))))
        expect(result).toEqual({ error: new StorageError('CLOSED') });
      expect(await Promise.all(before)).toEqual(Array(50).fill({ ok: true }));
      await transaction;
      await closing;
      if (!reader || reader === storage) return;
      expect(await reader.db.select({ id: tables.counters.id }).from(tables.counters)).toHaveLength(51);
    });

    it('closing may be repeated', async () => {
      const { storage } = await openContract();
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
    });
  });
};
