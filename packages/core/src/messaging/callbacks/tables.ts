import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';

/** Received callbacks and the marks of applied events, both kept for 7 days, and the secrets that verify callbacks. */
export const callbackTables = (c: Columns) => ({
  callbacks: c.table(
    'callbacks',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      provider: c.text('provider').notNull(),
      /** The encrypted request: it contains personal data in formats that only its provider knows. */
      sealed: c.text('sealed').notNull(),
      /** Size of the body as received. */
      bytes: c.int('bytes').notNull(),
      receivedAt: c.time('received_at').notNull(),
      /** When its events were last applied; null: applying failed. */
      appliedAt: c.time('applied_at'),
      events: c.int('events').notNull(),
      applied: c.int('applied').notNull(),
      duplicates: c.int('duplicates').notNull(),
      unknown: c.int('unknown').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] }), c.index('callbacks_received').on(t.receivedAt)],
  ),
  callbackSecrets: c.table(
    'callback_secrets',
    {
      scopeId: c.scope('scope_id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      provider: c.text('provider').notNull(),
      /** The settings as encrypted JSON. */
      sealed: c.text('sealed').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.channel, t.provider] })],
  ),
  callbackEvents: c.table(
    'callback_events',
    {
      scopeId: c.scope('scope_id').notNull(),
      provider: c.text('provider').notNull(),
      eventId: c.text('event_id').notNull(),
      callbackId: c.id('callback_id').notNull(),
      /** The users it is about, by which an erasure finds the request. */
      person: c.text('person'),
      address: c.text('address'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.provider, t.eventId] }),
      c.index('callback_events_person').on(t.scopeId, t.person).where(sql`person is not null`),
      c.index('callback_events_address').on(t.scopeId, t.address).where(sql`address is not null`),
      c.index('callback_events_created').on(t.createdAt),
    ],
  ),
});

export type CallbackTables = ReturnType<typeof callbackTables>;
