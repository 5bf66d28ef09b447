import { bulkDelete, bulkInsert, bulkPrecondition, bulkSelect } from '../../database/statements/bulk.ts';
import type { SuppressionTables } from './tables.ts';

const ADDRESS = ['scopeId', 'channel', 'addressKey'] as const;
const KEY = [...ADDRESS, 'reason', 'sender'] as const;

/** The statements of messages that are judged, and of what puts their addresses on a list. */
export const suppressionStatements = ({ suppressions }: SuppressionTables) => ({
  /** One that is there stays as it is: the first reason of a kind is the one that is told. */
  insert: bulkInsert('suppressions.insert', suppressions, [...KEY, 'id', 'source', 'messageId', 'createdAt'], {
    conflict: { target: KEY },
  }),
  remove: bulkDelete('suppressions.remove', suppressions, { where: KEY }),
  /** Of what was read of an address, that it is all there is. */
  precondition: bulkPrecondition('suppressions.still', suppressions, ADDRESS),
  ofAddress: bulkSelect('suppressions.of_address', suppressions, ADDRESS, KEY),
});

export type SuppressionStatements = ReturnType<typeof suppressionStatements>;
