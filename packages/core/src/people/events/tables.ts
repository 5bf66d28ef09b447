import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { EventSource } from './schema.ts';

/** Events, their deduplication ids, and raised events. */
export const eventTables = (c: Columns) => ({
  events: c.table(
    'events',
    {
      position: c.position('position'),
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      person: c.text('person').notNull(),
      /** Digest of scope and profile (`personKey`): index entries of 15 bytes. */
      personKey: c.big('person_key').notNull(),
      /** As sent. After a merge `person` is the user instead. */
      anonymousId: c.text('anonymous_id'),
      module: c.text('module').notNull(),
      eventType: c.text('event_type').notNull(),
      properties: c.json<Record<string, unknown>>('properties').notNull(),
      traits: c.json<Record<string, unknown>>('traits'),
      context: c.json<Record<string, unknown>>('context'),
      sessionId: c.text('session_id'),
      messageId: c.clientId('message_id'),
      source: c.text('source').$type<EventSource>().notNull(),
      timestamp: c.time('timestamp').notNull(),
      receivedAt: c.time('received_at').notNull(),
    },
    (t) => [
      c.unique('events_id').on(t.scopeId, t.id),
      // Begins with the scope, so that rows can be distributed by it. On SQLite `position` alone is the rowid.
      ...c.onPostgres(c.primaryKey({ columns: [t.scopeId, t.position] })),
      // Readers of the whole log use the position (followed/store.ts).
      ...c.onPostgres(c.index('events_position').on(t.position), c.index('events_person').on(t.personKey, t.position)),
    ],
  ),
  /** SQLite only: the index `events_person` of PostgreSQL as a table, filled after ingest (people/store.ts). */
  eventsByPerson: c.table(
    'events_by_person',
    { personKey: c.big('person_key').notNull(), position: c.big('position').notNull() },
    (t) => [c.primaryKey({ columns: [t.personKey, t.position] })],
  ),
  /** One row: which events are in `eventsByPerson`. */
  eventsByPersonCursor: c.table(
    'events_by_person_cursor',
    {
      id: c.int('id').notNull(),
      position: c.big('position').notNull(),
      passEnd: c.big('pass_end').notNull(),
      nextPersonKey: c.big('next_person_key').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.id] })],
  ),
  /** The last event that each reader of the log has processed (followed/store.ts). */
  eventCursors: c.table('event_cursors', {
    name: c.text('name').primaryKey(),
    position: c.big('position').notNull(),
    /** PostgreSQL: the end of the next range, and the transactions that may still write within it. */
    pendingPosition: c.big('pending_position'),
    openTransactions: c.json<readonly string[]>('open_transactions'),
  }),
  eventMessageIds: c.table(
    'event_message_ids',
    {
      scopeId: c.scope('scope_id').notNull(),
      messageId: c.clientId('message_id').notNull(),
      eventId: c.id('event_id').notNull(),
      receivedAt: c.time('received_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.messageId] })],
  ),
  /** Raised events with subscribers, until a worker has passed them through the reactions. */
  raisedEvents: c.table(
    'raised_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      person: c.text('person').notNull(),
      module: c.text('module').notNull(),
      eventType: c.text('event_type').notNull(),
      properties: c.json<Record<string, unknown>>('properties').notNull(),
      /** 0, or one more than the run that raised it. */
      depth: c.int('depth').notNull(),
      /** Runs that it may start, and the run whose budget they use (run-budget.ts). */
      runBudget: c.int('run_budget').notNull(),
      budgetRunId: c.id('budget_run_id'),
      raisedAt: c.time('raised_at').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('raised_events_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
});

export type EventTables = ReturnType<typeof eventTables>;

export type RaisedRow = EventTables['raisedEvents']['$inferSelect'];
