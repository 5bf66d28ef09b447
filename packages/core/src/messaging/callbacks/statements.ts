import { bulkInsert, bulkUpdate } from '../../database/statements/bulk.ts';
import type { CallbackTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;
const COUNTS = ['events', 'applied', 'duplicates', 'unknown'] as const;

/** The statements of every callback. */
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
  /** The guard of whatever an event does: of one that comes twice only the first finds no row. */
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
