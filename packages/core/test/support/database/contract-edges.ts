import { inspect } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commit, counter, type OpenContractDatabase, outcomeOf, tagged } from './contract-database.ts';

const CANARY = 'canary-5f1c9a';

/** Everything that a log or a report could show of an error. */
const shown = (error: unknown, depth = 0): string => {
  const own =
    error instanceof Error ? Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name))) : [];
  const cause = error instanceof Error && error.cause && depth < 8 ? shown(error.cause, depth + 1) : '';
  return [String(error), JSON.stringify(error), inspect(error, { depth: 20, showHidden: true }), ...own, cause].join(
    '\n',
  );
};

/** Errors that leave the storage, and its fairness to other work. */
export const edgesContract = (openContract: OpenContractDatabase): void => {
  it('join rejects a client without a transaction', async () => {
    const { storage } = await openContract();
    const none = Object.assign(new Error('SAVEPOINT can only be used in transaction blocks'), { code: '25P01' });
    let isRun = false;
    const work = async (): Promise<void> => {
      isRun = true;
    };
    await expect(storage.join({ query: () => Promise.reject(none) }, work)).rejects.toThrow(TypeError);
    expect(isRun).toBe(false);
    expect(await storage.outsideTransaction(async () => 'apart')).toBe('apart');
  });

  describe('errors', () => {
    const failures: Record<string, (database: Awaited<ReturnType<OpenContractDatabase>>) => Promise<unknown>> = {
      'a built insert that violates a key': async ({ storage, tables }) =>
        storage.db.insert(tables.counters).values(counter(CANARY)).returning(),
      'a built insert without a required column': async ({ storage, tables }) =>
        storage.db
          .insert(tables.counters)
          // @ts-expect-error: the column is required.
          .values({ id: CANARY, label: CANARY, version: 1 }),
      'a built update that violates a key': async ({ storage, tables: { counters } }) => {
        await storage.db.insert(counters).values(counter('other', { label: CANARY }));
        await storage.db.update(counters).set({ id: CANARY }).where(eq(counters.label, CANARY));
      },
      'a built select that the database refuses': async ({ storage, tables: { counters } }) =>
        storage.db.select().from(counters).where(sql`no_such_column = ${CANARY}`),
      'a commit that violates a key': ({ storage, hot }) =>
        commit(storage, tagged(hot.insertCounter, counter(CANARY, { label: CANARY }), CANARY)),
      'a commit without a required column': ({ storage, hot }) =>
        commit(storage, tagged<Record<string, unknown>>(hot.insertCounter, { id: CANARY, label: CANARY, version: 1 })),
      'a statement of a transaction': ({ storage, tables }) =>
        storage.transaction(async (db) => {
          await db.insert(tables.counters).values(counter(CANARY)).returning();
        }),
      // The cast is the mistake under test: an expression instead of a number.
      'a value that the driver cannot bind': async ({ storage, tables: { counters } }) =>
        storage.db.insert(counters).values(counter('x', { value: sql`${{ secret: CANARY }}` as unknown as number })),
    };

    it.each(Object.entries(failures))('the error of %s contains no value of the statement', async (_, fail) => {
      const database = await openContract();
      await database.storage.db.insert(database.tables.counters).values(counter(CANARY));
      const result = await outcomeOf(fail(database));
      if (!('error' in result)) throw new Error('nothing failed');
      expect(result.error).toBeInstanceOf(Error);
      expect(shown(result.error)).not.toContain(CANARY);
    });
  });

  describe('fairness', () => {
    /** Repeats a read until a 1 ms timer has fired three times; returns how often it fired. */
    const firesBeside = async (times: number, read: () => Promise<unknown>): Promise<number> => {
      let fires = 0;
      const timer = setInterval(() => {
        fires += 1;
      }, 1);
      for (let at = 0; at < times || (fires < 3 && at < 100_000); at += 1) await read();
      clearInterval(timer);
      return fires;
    };

    it('a 1 ms timer fires beside 5,000 awaited reads', async () => {
      const { storage, hot } = await openContract();
      await commit(storage, tagged(hot.insertCounter, counter('a')));
      expect(await firesBeside(5_000, () => storage.select(hot.readCounters, [['a']]))).toBeGreaterThanOrEqual(3);
    });

    it('a timer fires beside the statements of one transaction', async () => {
      const { storage, tables } = await openContract();
      const fires = await storage.transaction((db) =>
        firesBeside(1_000, async () => db.select().from(tables.counters)),
      );
      expect(fires).toBeGreaterThanOrEqual(3);
    });
  });
};
