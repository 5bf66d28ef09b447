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
import { type Claimable, PRIORITIES } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import type { QueueState } from './queue-state.ts';
import { LEASE_MS } from './registration.ts';
import type { WorkTables } from './tables.ts';

/** Workers of the deployment; cold paths only. */
export const workerStore = ({ db, tables: { workers } }: Pick<StoreContext<WorkTables>, 'db' | 'tables'>) => ({
  recordSeen: async (id: string, lastSeenAt: Date, timeZoneData: string): Promise<void> => {
    await db
      .insert(workers)
      .values({ id, lastSeenAt, timeZoneData })
      .onConflictDoUpdate({ target: workers.id, set: { lastSeenAt } });
  },
  remove: async (id: string): Promise<void> => {
    await db.delete(workers).where(eq(workers.id, id));
  },
  /** Deletes workers that died without a stop. */
  removeSeenBefore: async (moment: Date): Promise<void> => {
    await db.delete(workers).where(lt(workers.lastSeenAt, moment));
  },
  /** The last heartbeat of any worker; null: none. */
  lastSeenAt: async (): Promise<Date | null> =>
    (await db.select({ lastSeenAt: workers.lastSeenAt }).from(workers).orderBy(desc(workers.lastSeenAt)).limit(1)).at(0)
      ?.lastSeenAt ?? null,
  /** Time-zone data of workers with a heartbeat since then. */
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

/** Maximum rows counted per queue. Chosen: counting more takes too long for a view that refreshes every few seconds. */
const MAX_COUNTED = 10_000;

const workColumns = (work: Claimable<unknown>) => {
  // Safe: in either dialect it is built from the column types, which behave as a table of PostgreSQL.
  const table = work.table as PgTable;
  const columns = getTableColumns(table);
  const { dueAt, leaseUntil } = columns;
  // The index begins with this column.
  const priority = work.priorities && Object.values(columns).find(({ name }) => name === work.priorities?.column);
  if (!dueAt || !leaseUntil) throw new TypeError(`${work.id} is no work table`);
  const isFree = (now: Date) => or(isNull(leaseUntil), lte(leaseUntil, now));
  return { table, dueAt, leaseUntil, priority, isFree };
};

/** The state of one queue. Throws errors of the storage. */
export const queueState = async (storage: Storage, work: Claimable<unknown>): Promise<QueueState> => {
  const now = await storage.now();
  const { table, dueAt, leaseUntil, priority, isFree } = workColumns(work);
  const countWhere = async (...conditions: readonly (SQL | undefined)[]): Promise<{ all: number; leased: number }> => {
    const some = storage.db
      .select({ dueAt, leaseUntil })
      .from(table)
      .where(and(priority ? inArray(priority, [...PRIORITIES]) : undefined, isNotNull(dueAt), ...conditions))
      .limit(MAX_COUNTED)
      .as('some');
    const [row] = await storage.db.select({ all: count(), leased: count(some.leaseUntil) }).from(some);
    return row ?? { all: 0, leased: 0 };
  };
  const { all: due, leased: expired } = await countWhere(lte(dueAt, now), isFree(now));
  // A claimed row is due at the end of its lease.
  const leasesEnd = new Date(now.getTime() + LEASE_MS);
  const { all: claimed } = await countWhere(gt(dueAt, now), lte(dueAt, leasesEnd), gt(leaseUntil, now));
  const { all: scheduled } = await countWhere(gt(dueAt, now), isFree(now));
  // If no row is free, it is the end of a lease, or a later due time.
  const nextMs = due === 0 ? 0 : ((await storage.nextDueInMs(work)) ?? 0);
  return { name: work.id, due, oldestSeconds: Math.max(0, -nextMs) / 1_000, expired, claimed, scheduled };
};

/**
 * How long the first unclaimed row of a queue has been due, in milliseconds; with priorities, that of the first one.
 * Reads one row. Throws errors of the storage.
 */
export const overdueMs = async (storage: Pick<Storage, 'db' | 'now'>, work: Claimable<unknown>): Promise<number> => {
  const now = await storage.now();
  const { table, dueAt, priority, isFree } = workColumns(work);
  const [first] = await storage.db
    .select({ dueAt })
    .from(table)
    .where(and(priority ? eq(priority, PRIORITIES[0]) : undefined, isNotNull(dueAt), lte(dueAt, now), isFree(now)))
    .orderBy(dueAt)
    .limit(1);
  return first?.dueAt instanceof Date ? now.getTime() - first.dueAt.getTime() : 0;
};
