import type { Columns } from '../../../database/columns.ts';

/** How often people did what some audience asks about, so that nobody has to look through the log of events. */
export const countingTables = (c: Columns) => ({
  personEvents: c.table(
    'person_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      person: c.text('person').notNull(),
      eventType: c.text('event_type').notNull(),
      total: c.int('total').notNull(),
      /** The newest times, newest first, in milliseconds: one at least, and as many as `counted_events` says. */
      recent: c.json<readonly number[]>('recent').notNull(),
      /** Raised by every change of the row; whoever changes it compares the one it read. */
      version: c.int('version').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person, t.eventType] })],
  ),
  countedEvents: c.table(
    'counted_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      eventType: c.text('event_type').notNull(),
      /** How many of the newest times a row of `personEvents` holds. */
      recentLimit: c.int('recent_limit').notNull(),
      /** Events from this moment on are counted as they come; older ones are counted from the log. */
      countedSince: c.time('counted_since').notNull(),
      /** The last person whose older events were counted; null: nobody yet. */
      cursor: c.text('cursor'),
      isBackfilled: c.bool('is_backfilled').notNull(),
      /** Raised when counting begins anew. */
      version: c.int('version').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.eventType] })],
  ),
});

export type CountingTables = ReturnType<typeof countingTables>;
export type PersonEventsRow = CountingTables['personEvents']['$inferSelect'];
export type CountedRow = CountingTables['countedEvents']['$inferSelect'];
