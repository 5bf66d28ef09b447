import type { Columns } from '../../../database/columns.ts';

/** Event counters per profile for audiences, so that evaluations need not scan the event log. */
export const countingTables = (c: Columns) => ({
  personEvents: c.table(
    'person_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      person: c.text('person').notNull(),
      eventType: c.text('event_type').notNull(),
      total: c.int('total').notNull(),
      /** The newest times, newest first, in milliseconds: at least one, and as many as `counted_events` requires. */
      recent: c.json<readonly number[]>('recent').notNull(),
      /** Incremented by every change of the row; a writer compares the version that it read. */
      version: c.int('version').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person, t.eventType] })],
  ),
  countedEvents: c.table(
    'counted_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      eventType: c.text('event_type').notNull(),
      /** How many of the newest times a row of `personEvents` stores. */
      recentLimit: c.int('recent_limit').notNull(),
      /** Events from this time on are counted by ingest; older ones are backfilled from the log. */
      countedSince: c.time('counted_since').notNull(),
      /** The last profile that was backfilled; null: none yet. */
      cursor: c.text('cursor'),
      isBackfilled: c.bool('is_backfilled').notNull(),
      /** Incremented when counting restarts. */
      version: c.int('version').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.eventType] })],
  ),
});

export type CountingTables = ReturnType<typeof countingTables>;
export type PersonEventsRow = CountingTables['personEvents']['$inferSelect'];
export type CountedRow = CountingTables['countedEvents']['$inferSelect'];
