import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
} from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { StoreContext } from '../database/context.ts';
import { type Claimable, LANES } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import type { QueueState } from './queue-state.ts';
import { LEASE_MS } from './registration.ts';
import type { WorkTables } from './tables.ts';

/** Workers of the deployment; cold paths only. */
export const workerStore = ({ db, tables: { workers } }: Pick<StoreContext<WorkTables>, 'db' | 'tables'>) => ({
  seen: async (id: string, lastSeenAt: Date, timeZoneData: string): Promise<void> => {
    await db
      .insert(workers)
      .values({ id, lastSeenAt, timeZoneData })
      .onConflictDoUpdate({ target: workers.id, set: { lastSeenAt } });
  },
  remove: async (id: string): Promise<void> => {
    await db.delete(workers).where(eq(workers.id, id));
  },
  /** Those that died without a word. */
  removeSeenBefore: async (moment: Date): Promise<void> => {
    await db.delete(workers).where(lt(workers.lastSeenAt, moment));
  },
  /** When any of them was seen last; null: none. */
  lastSeenAt: async (): Promise<Date | null> =>
    (await db.select({ lastSeenAt: workers.lastSeenAt }).from(workers).orderBy(desc(workers.lastSeenAt)).limit(1)).at(0)
      ?.lastSeenAt ?? null,
  /** Of workers that were seen since. */
  timeZoneDataSince: async (moment: Date): Promise<string[]> =>
    (
      await db
        .select({ version: workers.timeZoneData })
        .from(workers)
        .where(gte(workers.lastSeenAt, moment))
        .groupBy(workers.timeZoneData)
        .orderBy(workers.timeZoneData)
    ).map(({ version }) => version),
});

/** Due rows that are counted of one queue; ours: more take too long for whoever looks every few seconds. */
const MOST_COUNTED = 10_000;

const workColumns = (work: Claimable<unknown>) => {
  // Safe: whatever its dialect, it is made of the column vocabulary, which answers as a table of PostgreSQL.
  const table = work.table as PgTable;
  const columns = getTableColumns(table);
  const { dueAt, leaseUntil } = columns;
  // Named for the index, which begins with it.
  const lane = work.lanes && Object.values(columns).find(({ name }) => name === work.lanes?.column);
  if (!dueAt || !leaseUntil) throw new TypeError(`${work.id} is no work table`);
  const isFree = (now: Date) => or(isNull(leaseUntil), lte(leaseUntil, now));
  return { table, dueAt, leaseUntil, lane, isFree };
};

/** Looks at one queue. Throws what the storage throws. */
export const queueState = async (storage: Storage, work: Claimable<unknown>): Promise<QueueState> => {
  const now = await storage.now();
  const { table, dueAt, leaseUntil, lane, isFree } = workColumns(work);
  const countWhere = async (...conditions: readonly (SQL | undefined)[]): Promise<{ all: number; leased: number }> => {
    const some = storage.db
      .select({ dueAt, leaseUntil })
      .from(table)
      .where(and(lane ? inArray(lane, [...LANES]) : undefined, isNotNull(dueAt), ...conditions))
      .limit(MOST_COUNTED)
      .as('some');
    const [row] = await storage.db.select({ all: count(), leased: count(some.leaseUntil) }).from(some);
    return row ?? { all: 0, leased: 0 };
  };
  const { all: due, leased: expired } = await countWhere(lte(dueAt, now), isFree(now));
  // A row in hand comes due as its lease ends.
  const leasesEnd = new Date(now.getTime() + LEASE_MS);
  const { all: claimed } = await countWhere(gt(dueAt, now), lte(dueAt, leasesEnd), gt(leaseUntil, now));
  const { all: scheduled } = await countWhere(gt(dueAt, now), isFree(now));
  // Of a queue in which nothing is free it is the end of a lease, or a later moment.
  const nextMs = due === 0 ? 0 : ((await storage.nextDueInMs(work)) ?? 0);
  return { name: work.id, due, oldestSeconds: Math.max(0, -nextMs) / 1_000, expired, claimed, scheduled };
};

/**
 * How long the first row of a queue has been due without being in anybody's hands, in milliseconds; of one with lanes that
 * of the first lane. One row is read. Throws what the storage throws.
 */
export const overdueMs = async (storage: Pick<Storage, 'db' | 'now'>, work: Claimable<unknown>): Promise<number> => {
  const now = await storage.now();
  const { table, dueAt, lane, isFree } = workColumns(work);
  const [first] = await storage.db
    .select({ dueAt })
    .from(table)
    .where(and(lane ? eq(lane, LANES[0]) : undefined, isNotNull(dueAt), lte(dueAt, now), isFree(now)))
    .orderBy(dueAt)
    .limit(1);
  return first?.dueAt instanceof Date ? now.getTime() - first.dueAt.getTime() : 0;
};
