import type { Columns } from '../../database/columns.ts';

/** Events of organizations per month. */
export const planTables = (c: Columns) => ({
  /**
   * The count of an organization's month is the sum of its rows. A limited count is one row, slot 0; an unlimited one
   * is spread over several, so that transactions do not wait for each other.
   */
  eventUsage: c.table(
    'event_usage',
    {
      orgId: c.text('org_id').notNull(),
      /** In UTC, such as 2026-03. */
      month: c.text('month').notNull(),
      slot: c.int('slot').notNull(),
      events: c.big('events').notNull(),
      /** Limit of `events`. */
      maxEvents: c.big('max_events').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.month, t.slot] })],
  ),
});

export type PlanTables = ReturnType<typeof planTables>;
