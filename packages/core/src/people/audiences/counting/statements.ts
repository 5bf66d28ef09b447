import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { CountingTables } from './tables.ts';

const PERSON = ['scopeId', 'person'] as const;
const KEY = [...PERSON, 'eventType'] as const;

/** Counter statements of ingest. */
export const countingStatements = ({ personEvents, countedEvents }: CountingTables) => ({
  insert: bulkInsert('counting.insert', personEvents, [...KEY, 'total', 'recent', 'version'], {
    conflict: { target: KEY },
    isGuarded: true,
    isOrdered: true,
  }),
  change: bulkUpdate('counting.change', personEvents, {
    where: [...KEY, 'version'],
    set: { total: 'value', recent: 'value', version: 'increment' },
    isGuarded: true,
    isOrdered: true,
  }),
  /** Counter of an anonymous profile that was merged into a user. */
  deleteMerged: bulkDelete('counting.absorb', personEvents, { where: [...KEY, 'version'], isGuarded: true }),
  ofPeople: bulkSelect('counting.of_people', personEvents, PERSON, [...KEY, 'total', 'recent', 'version']),
  ofScopes: bulkSelect(
    'counting.of_scopes',
    countedEvents,
    ['scopeId'],
    ['scopeId', 'eventType', 'recentLimit', 'countedSince', 'cursor', 'isBackfilled', 'version'],
  ),
});
