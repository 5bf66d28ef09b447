import { bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { AbTestTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;

/** Reads of delivery and ingest; each runs once in some seconds. */
export const abTestStatements = ({ abTests }: AbTestTables) => ({
  byId: bulkSelect('ab_tests.by_id', abTests, KEY, [...KEY, 'channel', 'status', 'variants', 'version', 'assignedAt']),
  /** Tests that count events. A completed test continues to count events after its messages. */
  counting: bulkSelect(
    'ab_tests.counting',
    abTests,
    ['scopeId'],
    [...KEY, 'metric', 'eventType'],
    (column) => `${column('event_type')} is not null`,
  ),
  /** Fixes the variants, guarded by the version that was read. */
  assign: bulkUpdate('ab_tests.assign', abTests, {
    where: [...KEY, 'version'],
    set: { assignedAt: 'keep' },
    isGuarded: true,
  }),
});

export type AbTestStatements = ReturnType<typeof abTestStatements>;
