import { bulkDelete, bulkInsert, bulkPrecondition, bulkSelect } from '../../database/statements/bulk.ts';
import type { SuppressionTables } from './tables.ts';

const ADDRESS = ['scopeId', 'channel', 'addressKey'] as const;
const KEY = [...ADDRESS, 'reason', 'sender'] as const;

/** Statements of message evaluation and of new list entries. */
export const suppressionStatements = ({ suppressions }: SuppressionTables) => ({
  /** An existing entry stays unchanged: the first one of a reason is shown. */
  insert: bulkInsert('suppressions.insert', suppressions, [...KEY, 'id', 'source', 'messageId', 'createdAt'], {
    conflict: { target: KEY },
  }),
  remove: bulkDelete('suppressions.remove', suppressions, { where: KEY }),
  /** Guards that the address has exactly the entries that were read. */
  precondition: bulkPrecondition('suppressions.still', suppressions, ADDRESS),
  ofAddress: bulkSelect('suppressions.of_address', suppressions, ADDRESS, KEY),
});

export type SuppressionStatements = ReturnType<typeof suppressionStatements>;
