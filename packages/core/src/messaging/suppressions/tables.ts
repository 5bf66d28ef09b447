import type { Columns } from '../../database/columns.ts';
import type { ListReason } from '../sends/listed.ts';
import type { ListChannel, ListSource } from './schema.ts';

/** Suppressed addresses: one row per address, reason and sender. */
export const suppressionTables = (c: Columns) => ({
  suppressions: c.table(
    'suppressions',
    {
      scopeId: c.scope('scope_id').notNull(),
      channel: c.text('channel').$type<ListChannel>().notNull(),
      /** Canonical form in which the channel compares addresses. */
      addressKey: c.text('address_key').notNull(),
      reason: c.text('reason').$type<ListReason>().notNull(),
      /** SMS only; empty: every sender. */
      sender: c.text('sender').notNull(),
      /** Order of lists. */
      id: c.id('id').notNull(),
      source: c.text('source').$type<ListSource>().notNull(),
      /** The message that led to the entry. */
      messageId: c.id('message_id'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.channel, t.addressKey, t.reason, t.sender] }),
      c.index('suppressions_list').on(t.scopeId, t.channel, t.id),
    ],
  ),
});

export type SuppressionTables = ReturnType<typeof suppressionTables>;
