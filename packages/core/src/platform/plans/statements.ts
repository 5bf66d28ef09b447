import { bulkInsert, bulkSelect } from '../../database/statements/bulk.ts';
import type { PlanTables } from './tables.ts';

const SLOT = ['orgId', 'month', 'slot'] as const;

/** The statements of ingest that count events of orgs. */
export const planStatements = ({ eventUsage }: PlanTables) => ({
  /** Guarded: where the row would pass `maxEvents` it stays as it is. A first row is not compared, so its plan has to be. */
  count: bulkInsert('plans.count', eventUsage, [...SLOT, 'events', 'maxEvents'], {
    conflict: {
      target: SLOT,
      set: ['maxEvents'],
      add: ['events'],
      when: (column) => `${column('events')} + excluded."events" <= excluded."max_events"`,
    },
    isGuarded: true,
    isOrdered: true,
  }),
  usage: bulkSelect('plans.usage', eventUsage, ['orgId', 'month'], [...SLOT, 'events']),
});

export type PlanStatements = ReturnType<typeof planStatements>;
