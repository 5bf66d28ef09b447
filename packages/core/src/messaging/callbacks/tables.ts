import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';

/** What providers posted, as it came, which of their events were applied, both for 7 days; and what it is checked with. */
export const callbackTables = (c: Columns) => ({
  callbacks: c.table(
    'callbacks',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      provider: c.text('provider').notNull(),
      /** The request, sealed: it tells of people, in forms that only its provider knows. */
      sealed: c.text('sealed').notNull(),
      /** Of the body as it came. */
      bytes: c.int('bytes').notNull(),
      receivedAt: c.time('received_at').notNull(),
      /** When its events were last gone through; null: that broke off. */
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
      /** The settings as sealed JSON. */
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
      /** Whom it tells of: their erasure finds what was posted by these. */
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
