import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';

/** Who made a choice: an operator, or the user. */
export type ChoiceSource = 'api' | 'person';

/** One row per choice; users without one get everything. */
export const subscriptionTables = (c: Columns) => ({
  subscriptions: c.table(
    'subscriptions',
    {
      scopeId: c.scope('scope_id').notNull(),
      person: c.text('person').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      /** Empty: all marketing of the channel. */
      category: c.text('category').notNull(),
      isSubscribed: c.bool('is_subscribed').notNull(),
      source: c.text('source').$type<ChoiceSource>().notNull(),
      /** The message with the link that was used. */
      messageId: c.id('message_id'),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.person, t.channel, t.category] })],
  ),
});

export type SubscriptionTables = ReturnType<typeof subscriptionTables>;
