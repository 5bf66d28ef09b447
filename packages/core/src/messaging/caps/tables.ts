import type { Columns } from '../../database/columns.ts';

/** What frequency caps count. */
export const capTables = (c: Columns) => ({
  /** One row per rule, person and send: it counts against the rule until it expires. */
  capEntries: c.table(
    'cap_entries',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Whom the rule counts for: see `countedFor`. */
      person: c.text('person').notNull(),
      /** What identifies the rule: see `CapRule`. */
      rule: c.text('rule').notNull(),
      sendId: c.id('send_id').notNull(),
      /** Hand-overs of the send to this person that no provider has refused. */
      handovers: c.int('handovers').notNull(),
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.person, t.rule, t.sendId] }),
      c.index('cap_entries_expired').on(t.expiresAt),
    ],
  ),
  /** PostgreSQL: whoever counts for a person holds their row, so that two never count at the same time. */
  capLocks: c.table(
    'cap_locks',
    { scopeId: c.scope('scope_id').notNull(), person: c.text('person').notNull() },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person] })],
  ),
});

export type CapTables = ReturnType<typeof capTables>;
