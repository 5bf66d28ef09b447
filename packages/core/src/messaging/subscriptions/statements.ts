import { bulkDelete, bulkInsert, bulkPrecondition, bulkSelect } from '../../database/statements/bulk.ts';
import type { SubscriptionTables } from './tables.ts';

const OF = ['scopeId', 'person', 'channel'] as const;
const KEY = [...OF, 'category'] as const;
const VALUES = ['isSubscribed', 'source', 'messageId', 'updatedAt'] as const;

/** Statements of message evaluation and of choices. */
export const subscriptionStatements = ({ subscriptions }: SubscriptionTables) => ({
  put: bulkInsert('subscriptions.put', subscriptions, [...KEY, ...VALUES], { conflict: { target: KEY, set: VALUES } }),
  forget: bulkDelete('subscriptions.forget', subscriptions, { where: KEY }),
  /** Guards that a user made no further opt-out since the choices were read. */
  precondition: bulkPrecondition('subscriptions.still', subscriptions, OF, {
    when: (column) => `not ${column('is_subscribed')}`,
  }),
  ofPerson: bulkSelect('subscriptions.of_person', subscriptions, OF, [...KEY, 'isSubscribed']),
});
