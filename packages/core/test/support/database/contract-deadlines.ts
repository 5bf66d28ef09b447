import { describe, expect, it } from 'vitest';
import { isUnavailable, StorageError } from '../../../src/database/errors.ts';
import { untilDeadline, withDeadline } from '../../../src/foundation/deadline.ts';
import {
  type ContractDatabase,
  commit,
  counter,
  type OpenContractDatabase,
  outcomeOf,
  readCounters,
  tagged,
} from './contract-database.ts';

const OVER = { error: new StorageError('DEADLINE') };

/** Longer than a deadline of the tests, which is long enough for fast work. */
const SLOW_MS = 700;
const DEADLINE_MS = 500;

const stored = async (database: ContractDatabase): Promise<string[]> =>
  [...(await readCounters(database, 'a', 'b', 'c', 'd')).keys()].sort();

/** Effects of a caller's deadline. */
export const deadlinesContract = (openContract: OpenContractDatabase): void => {
  describe('a deadline', () => {
    const write = ({ storage, hot }: ContractDatabase, id: string): ReturnType<typeof commit> =>
      commit(storage, tagged(hot.insertCounter, counter(id)));
    const insertIn = ({ storage, tables }: ContractDatabase, id: string): Promise<unknown> =>
      storage.transaction(async (db) => {
        await db.insert(tables.counters).values(counter(id)).returning();
      });

    it('a deadline does not change work that is done in time', async () => {
      const database = await openContract();
      const { storage, tables } = database;
      await withDeadline(30_000, async () => {
        await write(database, 'a');
        await insertIn(database, 'b');
        await storage.db.insert(tables.counters).values(counter('c')).returning();
        expect(await stored(database)).toEqual(['a', 'b', 'c']);
        expect(await storage.db.select({ id: tables.counters.id }).from(tables.counters)).toHaveLength(3);
      });
    });

    it('nothing begins after its deadline', async () => {
      const database = await openContract();
      const { storage, tables } = database;
      await untilDeadline(performance.now() - 1, async () => {
        expect(await outcomeOf(write(database, 'a'))).toEqual(OVER);
        expect(await outcomeOf(insertIn(database, 'b'))).toEqual(OVER);
        expect(await outcomeOf(storage.db.insert(tables.counters).values(counter('c')).execute())).toEqual(OVER);
        expect(await outcomeOf(storage.db.select().from(tables.counters).execute())).toEqual(OVER);
        expect(await outcomeOf(readCounters(database, 'a'))).toEqual(OVER);
      });
      expect(isUnavailable(OVER.error)).toBe(true);
      expect(await stored(database)).toEqual([]);
    });

    it('a deadline that passes before the commit rolls everything back for good', async () => {
      let waitMs = SLOW_MS;
      const beforeCommit = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, waitMs));
      const database = await openContract({ observer: { beforeCommit } });
      const [late, patient] = await Promise.all([
        outcomeOf(withDeadline(DEADLINE_MS, () => write(database, 'a'))),
        outcomeOf(withDeadline(30_000, () => write(database, 'b'))),
      ]);
      expect([late, patient]).toEqual([OVER, { value: { ok: true } }]);
      expect(await outcomeOf(withDeadline(DEADLINE_MS, () => insertIn(database, 'c')))).toEqual(OVER);
      expect(await stored(database)).toEqual(['b']);
      waitMs = 0;
      await withDeadline(30_000, () => write(database, 'a'));
      expect(await stored(database)).toEqual(['a', 'b']);
    });
  });
};
