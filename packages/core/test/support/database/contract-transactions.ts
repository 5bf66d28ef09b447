import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/database/storage.ts';
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

/** Transactions of cold paths. */
export const transactionsContract = (openContract: OpenContractDatabase): void => {
  describe('a transaction', () => {
    const insert = (db: Db, { tables }: ContractDatabase, id: string): Promise<unknown> =>
      db.insert(tables.counters).values(counter(id)).returning({ id: tables.counters.id });

    it('a transaction returns the result of its work, sees its own writes and keeps them', async () => {
      const database = await openContract();
      const { counters } = database.tables;
      const seen = await database.storage.transaction(async (db) => {
        await insert(db, database, 'a');
        await db.update(counters).set({ value: 3 }).where(eq(counters.id, 'a'));
        return db.select({ value: counters.value }).from(counters);
      });
      expect(seen).toEqual([{ value: 3 }]);
      expect(await ids(database)).toEqual(['a']);
    });

    it('a transaction rolls everything back if its work throws, and throws the same error', async () => {
      const database = await openContract();
      const refusal = Object.assign(new Error('refused'), { code: 'CONFLICT' });
      const work = database.storage.transaction(async (db) => {
        await insert(db, database, 'a');
        await insert(db, database, 'b');
        throw refusal;
      });
      expect(await outcomeOf(work)).toEqual({ error: refusal });
      expect(await ids(database)).toEqual([]);
      await insert(database.storage.db, database, 'after');
      expect(await ids(database)).toEqual(['after']);
    });

    it('a transaction fails with its first failed statement, even if the error was caught', async () => {
      const database = await openContract();
      await insert(database.storage.db, database, 'there');
      const work = database.storage.transaction(async (db) => {
        await insert(db, database, 'a');
        const first = await outcomeOf(insert(db, database, 'there'));
        const second = await outcomeOf(insert(db, database, 'b'));
        return 'error' in first && 'error' in second;
      });
      const result = await outcomeOf(work);
      expect('error' in result && database.storage.dialect.isUniqueViolation(result.error)).toBe(true);
      expect(await ids(database)).toEqual(['there']);
    });

    it('a transaction that cannot commit keeps nothing', async () => {
      let isFailing = true;
      const database = await openContract({
        observer: {
          beforeCommit: () => {
            if (isFailing) throw new Error('no commit today');
          },
        },
      });
      const work = (id: string): Promise<unknown> => database.storage.transaction((db) => insert(db, database, id));
      await expect(work('a')).rejects.toThrow('no commit today');
      isFailing = false;
      await work('b');
      expect(await ids(database)).toEqual(['b']);
    });

    it('a transaction rejects every use of the storage except its own handle, at once', async () => {
      const database = await openContract();
      const { storage, hot, tables } = database;
      const queue = sampleQueue(tables);
      const lease = { scopeId: 1, id: 'x', fence: 1 };
      const attempts: (() => Promise<unknown>)[] = [
        () => storage.transaction(async () => undefined),
        async () => storage.db.select().from(tables.counters),
        () => storage.select(hot.readCounters, [['a']]),
        () => commit(storage, tagged(hot.insertCounter, counter('a'))),
        () => storage.claim(queue, 1, 1_000),
        () => storage.renew(queue, [lease], 1_000),
        () => storage.nextDueInMs(queue),
        () => storage.close(),
      ];
      const results = await storage.transaction(async () => {
        const made: unknown[] = [];
        for (const attempt of attempts) made.push(await outcomeOf(attempt()));
        return made;
      });
      const refused = { error: new Error('inside a transaction only its own database handle may be used') };
      expect(results).toEqual(attempts.map(() => refused));
    });

    it('a transaction that misuses the storage fails no other commit', async () => {
      const { storage, hot } = await openContract();
      const misuse = storage.transaction(async () => {
        await breathe(2);
        return outcomeOf(commit(storage, tagged(hot.insertCounter, counter('refused'))));
      });
      await breathe(1);
      const others = [1, 2, 3].map((at) => commit(storage, tagged(hot.insertCounter, counter(String(at)))));
      expect(await misuse).toHaveProperty('error');
      expect(await Promise.all(others)).toEqual(Array(3).fill({ ok: true }));
    });

    it('the handle of a transaction is unusable after it', async () => {
      const database = await openContract();
      const leaked = await database.storage.transaction(async (db) => ({ db }));
      await expect(insert(leaked.db, database, 'late')).rejects.toThrow('is over');
      expect(await ids(database)).toEqual([]);
    });

    it('code that a transaction left running may use the storage after it', async () => {
      const database = await openContract();
      const over = Promise.withResolvers<void>();
      const { late } = await database.storage.transaction(async () => ({
        late: over.promise.then(() => ids(database)),
      }));
      over.resolve();
      expect(await late).toEqual([]);
    });

    it('a transaction does not interleave with another', async () => {
      const database = await openContract();
      const { counters } = database.tables;
      await insert(database.storage.db, database, 'a');
      const increment = (): Promise<unknown> =>
        database.storage.transaction(async (db) => {
          // A row lock on PostgreSQL, the queue on SQLite.
          await db.update(counters).set({ label: 'locked' }).where(eq(counters.id, 'a'));
          const [row] = await db.select().from(counters).where(eq(counters.id, 'a'));
          await breathe(1);
          await db
            .update(counters)
            .set({ value: (row?.value ?? 0) + 1 })
            .where(eq(counters.id, 'a'));
        });
      await Promise.all(Array.from({ length: 10 }, increment));
      expect((await readCounters(database, 'a')).get('a')?.value).toBe(10);
    });
  });

  describe('isolation', () => {
    it('an outside write during a transaction is kept if the transaction rolls back', async () => {
      const database = await openContract();
      const { storage, hot, tables } = database;
      const opened = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const failing = outcomeOf(
        storage.transaction(async (db) => {
          await db.insert(tables.counters).values(counter('inside'));
          opened.resolve();
          await release.promise;
          throw new Error('rolled back');
        }),
      );
      await opened.promise;
      const outside = Promise.all([
        storage.db.insert(tables.counters).values(counter('built')),
        commit(storage, tagged(hot.insertCounter, counter('hot'))),
      ]);
      await breathe();
      release.resolve();
      await outside;
      expect(await failing).toHaveProperty('error');
      expect(await ids(database)).toEqual(['built', 'hot']);
    });

    it('400 outside writes among 50 failing transactions are kept, and nothing of those transactions is', async () => {
      const database = await openContract();
      const { storage, hot, tables } = database;
      const work: Promise<unknown>[] = [];
      for (let at = 0; at < 50; at += 1) {
        work.push(
          outcomeOf(
            storage.transaction(async (db) => {
              await db.insert(tables.counters).values(counter(`inside ${at}`));
              if (at % 3 === 0) await breathe(1);
              await db.insert(tables.counters).values(counter(`inside too ${at}`));
              throw new Error('rolled back');
            }),
          ),
        );
        for (let one = 0; one < 8; one += 1) {
          const row = counter(`outside ${at} ${one}`);
          work.push(
            one % 2 === 0
              ? storage.db.insert(tables.counters).values(row).returning({ id: tables.counters.id })
              : commit(storage, tagged(hot.insertCounter, row)),
          );
        }
        if (at % 7 === 0) await breathe(1);
      }
      await Promise.all(work);
      const kept = await ids(database);
      expect(kept).toHaveLength(400);
      expect(kept.filter((id) => id.startsWith('inside'))).toEqual([]);
    });
  });
};
