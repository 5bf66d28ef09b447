import type { Columns } from '../../database/columns.ts';

/** How many events orgs had in a month. */
export const planTables = (c: Columns) => ({
  /**
   * An org's month is the sum of its rows. What a quota bounds is one row, of slot 0; what nothing bounds is spread over
   * several, so that transactions do not wait for each other to count.
   */
  eventUsage: c.table(
    'event_usage',
    {
      orgId: c.text('org_id').notNull(),
      /** In UTC, such as 2026-03. */
      month: c.text('month').notNull(),
      slot: c.int('slot').notNull(),
      events: c.big('events').notNull(),
      /** Upper limit of `events`. */
      maxEvents: c.big('max_events').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.month, t.slot] })],
  ),
});

export type PlanTables = ReturnType<typeof planTables>;
