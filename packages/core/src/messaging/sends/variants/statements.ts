import { bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { SendingTables } from '../tables.ts';

const KEY = ['scopeId', 'id'] as const;
const OF_UNIT = ['scopeId', 'abTestId', 'abTestUnit'] as const;
const OF_VARIANT = ['scopeId', 'abTestId', 'variant'] as const;

/** What events and reports make of messages that have variants. */
export const variantStatements = ({ messages, variantCounts }: SendingTables) => ({
  /** Of one person in one test, the messages that an event may count for. */
  unconverted: bulkSelect(
    'sending.unconverted',
    messages,
    OF_UNIT,
    [...KEY, 'abTestId', 'abTestUnit', 'sentAt'],
    (column) => `${column('converted_at')} is null and ${column('sent_at')} is not null`,
  ),
  convert: bulkUpdate('sending.convert', messages, {
    where: KEY,
    set: { convertedAt: 'keep' },
    isOrdered: true,
  }),
  /** The row that `count` adds to. */
  begin: bulkInsert('sending.begin_variant', variantCounts, [...OF_VARIANT, 'opened', 'clicked'], {
    conflict: { target: OF_VARIANT },
  }),
  count: bulkUpdate('sending.count_variant', variantCounts, {
    where: OF_VARIANT,
    set: { opened: 'add', clicked: 'add' },
    isOrdered: true,
  }),
});
