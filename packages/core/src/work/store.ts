import { and, count, getTableColumns, isNotNull, isNull, lte, or } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Claimable } from '../storage/claim.ts';
import type { Storage } from '../storage/storage.ts';

/** Due rows that are counted of one queue; ours: more take too long for whoever looks every few seconds. */
const MOST_COUNTED = 10_000;

/** How a queue stands. */
export type QueueState = {
  readonly name: string;
  /** Rows that are due and in nobody's hands; at most 10,000 are counted. */
  readonly due: number;
  /** How long the first of them has been due, in seconds; 0 where none is. */
  readonly oldestSeconds: number;
};

/** Looks at one queue. Throws what the storage throws. */
export const queueState = async (storage: Storage, work: Claimable<unknown>): Promise<QueueState> => {
  const now = await storage.now();
  // Safe: whatever its dialect, it is made of the column vocabulary, which answers as a table of PostgreSQL.
  const table = work.table as PgTable;
  const { dueAt, leaseUntil } = getTableColumns(table);
  if (!dueAt || !leaseUntil) throw new TypeError(`${work.id} is no work table`);
  const some = storage.db
    .select({ dueAt })
    .from(table)
    .where(and(isNotNull(dueAt), lte(dueAt, now), or(isNull(leaseUntil), lte(leaseUntil, now))))
    .limit(MOST_COUNTED)
    .as('some');
  const [row] = await storage.db.select({ due: count() }).from(some);
  const due = row?.due ?? 0;
  // Of a queue in which nothing is free it is the end of a lease, or a later moment.
  const nextMs = due === 0 ? 0 : ((await storage.nextDueInMs(work)) ?? 0);
  return { name: work.id, due, oldestSeconds: Math.max(0, -nextMs) / 1_000 };
};
