import { bulkInsert, bulkSelect } from '../../database/statements/bulk.ts';
import type { PlanTables } from './tables.ts';

const SLOT = ['orgId', 'month', 'slot'] as const;

/** The statements of ingest that count events of orgs. */
export const planStatements = ({ eventUsage }: PlanTables) => ({
  /** Guarded: where the row would pass `most` it stays as it is. A first row is not compared, so its plan has to be. */
  count: bulkInsert('plans.count', eventUsage, [...SLOT, 'events', 'most'], {
    conflict: {
      target: SLOT,
      set: ['most'],
      add: ['events'],
      when: (column) => `${column('events')} + excluded."events" <= excluded."most"`,
    },
    isGuarded: true,
    isOrdered: true,
  }),
  usage: bulkSelect('plans.usage', eventUsage, ['orgId', 'month'], [...SLOT, 'events']),
});

export type PlanStatements = ReturnType<typeof planStatements>;
