import type { Columns } from '../../database/columns.ts';

/** Frequency cap entries. */
export const capTables = (c: Columns) => ({
  /** One row per rule, user and send: it counts against the rule until it expires. */
  capEntries: c.table(
    'cap_entries',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Key for which the rule counts: see `countedFor`. */
      person: c.text('person').notNull(),
      /** What identifies the rule: see `CapRule`. */
      rule: c.text('rule').notNull(),
      sendId: c.id('send_id').notNull(),
      /** Handovers of the send to this user that no provider rejected. */
      handovers: c.int('handovers').notNull(),
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.person, t.rule, t.sendId] }),
      c.index('cap_entries_expired').on(t.expiresAt),
    ],
  ),
  /** PostgreSQL: a transaction that counts for a user locks this row, so that no two count concurrently. */
  capLocks: c.table(
    'cap_locks',
    { scopeId: c.scope('scope_id').notNull(), person: c.text('person').notNull() },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person] })],
  ),
});

export type CapTables = ReturnType<typeof capTables>;
