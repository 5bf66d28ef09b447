import { bulkDelete, bulkInsert, bulkPrecondition, bulkSelect } from '../../database/statements/bulk.ts';
import type { SubscriptionTables } from './tables.ts';

const OF = ['scopeId', 'person', 'channel'] as const;
const KEY = [...OF, 'category'] as const;
const VALUES = ['isSubscribed', 'source', 'messageId', 'updatedAt'] as const;

/** The statements of messages that are judged, and of choices that are made. */
export const subscriptionStatements = ({ subscriptions }: SubscriptionTables) => ({
  put: bulkInsert('subscriptions.put', subscriptions, [...KEY, ...VALUES], { conflict: { target: KEY, set: VALUES } }),
  forget: bulkDelete('subscriptions.forget', subscriptions, { where: KEY }),
  /** Of what was read of a person, that they unsubscribed from nothing else. */
  precondition: bulkPrecondition('subscriptions.still', subscriptions, OF, {
    when: (column) => `not ${column('is_subscribed')}`,
  }),
  ofPerson: bulkSelect('subscriptions.of_person', subscriptions, OF, [...KEY, 'isSubscribed']),
});
