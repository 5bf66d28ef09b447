import { bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { MailBudgetTables } from './tables.ts';

const KEY = ['scopeId', 'mailbox'] as const;
const VALUES = ['sentAt', 'expiresAt'] as const;

/** The statements of the limits on sign-in emails. */
export const mailBudgetStatements = ({ authMailBudget, authMailCounts }: MailBudgetTables) => ({
  insert: bulkInsert('auth.insert_mail_budget', authMailBudget, [...KEY, ...VALUES, 'version'], {
    conflict: { target: KEY },
    isGuarded: true,
  }),
  change: bulkUpdate('auth.change_mail_budget', authMailBudget, {
    where: [...KEY, 'version'],
    set: { sentAt: 'value', expiresAt: 'value', version: 'increment' },
    isGuarded: true,
  }),
  count: bulkInsert('auth.count_mail', authMailCounts, ['scopeId', 'startsAt', 'part', 'planned'], {
    conflict: { target: ['scopeId', 'startsAt', 'part'], add: ['planned'] },
  }),
  counts: bulkSelect('auth.mail_counts', authMailCounts, ['scopeId'], ['startsAt', 'planned']),
  of: bulkSelect('auth.mail_budget', authMailBudget, KEY, [...KEY, ...VALUES, 'version']),
});
