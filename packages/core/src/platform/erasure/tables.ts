import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';

/** Erasure requests; a finished one is the proof of erasure. */
export const erasureTables = (c: Columns) => ({
  erasures: c.table(
    'erasures',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** Null once all is erased: the proof identifies no user. */
      userId: c.text('user_id'),
      createdAt: c.time('created_at').notNull(),
      finishedAt: c.time('finished_at'),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('erasures_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
      c.index('erasures_pending').on(t.scopeId, t.userId).where(sql`user_id is not null`),
    ],
  ),
});

export type ErasureTables = ReturnType<typeof erasureTables>;

export type ErasureRow = ErasureTables['erasures']['$inferSelect'];
