import { bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { AbTestTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;

/** What delivery and ingest ask about tests; each is asked once in some seconds. */
export const abTestStatements = ({ abTests }: AbTestTables) => ({
  byId: bulkSelect('ab_tests.by_id', abTests, KEY, [...KEY, 'channel', 'status', 'variants', 'version', 'assignedAt']),
  /** Those that events are counted for. One that is over goes on to hear of its messages. */
  counting: bulkSelect(
    'ab_tests.counting',
    abTests,
    ['scopeId'],
    [...KEY, 'metric', 'eventType'],
    (column) => `${column('event_type')} is not null`,
  ),
  /** Closes the door to changing its variants, which were those of this version. */
  assign: bulkUpdate('ab_tests.assign', abTests, {
    where: [...KEY, 'version'],
    set: { assignedAt: 'keep' },
    isGuarded: true,
  }),
});

export type AbTestStatements = ReturnType<typeof abTestStatements>;
