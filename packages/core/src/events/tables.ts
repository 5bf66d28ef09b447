import type { Columns } from '../storage/columns.ts';

/** What happened, as it was told, and the ids that keep a retry from happening twice. */
export const eventTables = (c: Columns) => ({
  events: c.table(
    'events',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      person: c.text('person').notNull(),
      /** As it was sent; `person` is the user that it stands for since a merge. */
      anonymousId: c.text('anonymous_id'),
      module: c.text('module').notNull(),
      eventType: c.text('event_type').notNull(),
      properties: c.json<Record<string, unknown>>('properties').notNull(),
      traits: c.json<Record<string, unknown>>('traits'),
      context: c.json<Record<string, unknown>>('context'),
      sessionId: c.text('session_id'),
      messageId: c.clientId('message_id'),
      source: c.text('source').notNull(),
      timestamp: c.time('timestamp').notNull(),
      receivedAt: c.time('received_at').notNull(),
    },
    // By person, since that is how events are read; an index over the id alone would be a tenth of all bytes.
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person, t.id] })],
  ),
  eventMessageIds: c.table(
    'event_message_ids',
    {
      scopeId: c.scope('scope_id').notNull(),
      messageId: c.clientId('message_id').notNull(),
      eventId: c.id('event_id').notNull(),
      receivedAt: c.time('received_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.messageId] }), c.index('event_message_ids_age').on(t.receivedAt)],
  ),
});

export type EventTables = ReturnType<typeof eventTables>;
