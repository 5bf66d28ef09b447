import { bulkInsert, bulkSelect } from '../../database/statements/bulk.ts';
import type { PlanTables } from './tables.ts';

const SLOT = ['orgId', 'month', 'slot'] as const;

/** Statements with which ingest counts events of organizations. */
export const planStatements = ({ eventUsage }: PlanTables) => ({
  /** Guarded: a row that would exceed `maxEvents` is unchanged. A first row is not compared, so the plan must check it. */
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
