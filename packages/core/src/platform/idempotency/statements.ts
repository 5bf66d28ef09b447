import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { IdempotencyTables } from './tables.ts';

const KEY = ['scopeId', 'route', 'key'] as const;

/** The statements of requests with an `Idempotency-Key`. */
export const idempotencyStatements = ({ idempotencyKeys }: IdempotencyTables) => ({
  begin: bulkInsert('idempotency.begin', idempotencyKeys, [...KEY, 'bodyHash', 'holder', 'expiresAt'], {
    conflict: { target: [...KEY] },
    isGuarded: true,
  }),
  /** The next request reuses an expired row as if it were new. */
  takeOver: bulkUpdate('idempotency.take_over', idempotencyKeys, {
    where: [...KEY, 'holder'],
    set: { holder: 'value', bodyHash: 'value', expiresAt: 'value', answer: 'null' },
    isGuarded: true,
  }),
  finish: bulkUpdate('idempotency.finish', idempotencyKeys, {
    where: [...KEY, 'holder'],
    set: { answer: 'value', expiresAt: 'value' },
    isGuarded: true,
  }),
  drop: bulkDelete('idempotency.drop', idempotencyKeys, {
    where: [...KEY, 'holder'],
    when: (column) => `${column('answer')} is null`,
  }),
  row: bulkSelect('idempotency.row', idempotencyKeys, KEY, ['bodyHash', 'holder', 'expiresAt', 'answer']),
});
