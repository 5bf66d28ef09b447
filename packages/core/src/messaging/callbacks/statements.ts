import { bulkInsert, bulkUpdate } from '../../database/statements/bulk.ts';
import type { CallbackTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;
const COUNTS = ['events', 'applied', 'duplicates', 'unknown'] as const;

/** Statements of every callback. */
export const callbackStatements = ({ callbacks, callbackEvents }: CallbackTables) => ({
  keep: bulkInsert('callbacks.keep', callbacks, [
    ...KEY,
    'channel',
    'provider',
    'sealed',
    'bytes',
    'receivedAt',
    ...COUNTS,
  ]),
  /** Guards the effects of an event: for a repeated event the insert finds a row and fails. */
  mark: bulkInsert(
    'callbacks.mark',
    callbackEvents,
    ['scopeId', 'provider', 'eventId', 'callbackId', 'person', 'address', 'createdAt'],
    { conflict: { target: ['scopeId', 'provider', 'eventId'] }, isGuarded: true },
  ),
  note: bulkUpdate('callbacks.note', callbacks, {
    where: KEY,
    set: { appliedAt: 'value', events: 'value', applied: 'value', duplicates: 'value', unknown: 'value' },
  }),
});

export type CallbackStatements = ReturnType<typeof callbackStatements>;
