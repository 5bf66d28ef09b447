import { bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { SendingTables } from '../tables.ts';

const KEY = ['scopeId', 'id'] as const;
const OF_UNIT = ['scopeId', 'abTestId', 'abTestUnit'] as const;
const OF_VARIANT = ['scopeId', 'abTestId', 'variant'] as const;

/** Conversions and counts of messages with variants. */
export const variantStatements = ({ messages, variantCounts }: SendingTables) => ({
  /** A user's messages in a test that an event may convert. */
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
  /** The row that `count` increments. */
  begin: bulkInsert('sending.begin_variant', variantCounts, [...OF_VARIANT, 'opened', 'clicked'], {
    conflict: { target: OF_VARIANT },
  }),
  count: bulkUpdate('sending.count_variant', variantCounts, {
    where: OF_VARIANT,
    set: { opened: 'add', clicked: 'add' },
    isOrdered: true,
  }),
});
