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
      /** How many of the newest times are kept. */
      recentLimit: c.int('recent_limit').notNull(),
      /** Since when events are counted so; older ones are counted from the log, person by person. */
      countedSince: c.time('counted_since').notNull(),
      /** The last person who was; null: nobody yet. */
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
