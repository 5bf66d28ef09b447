import type { Columns } from '../database/columns.ts';

/** Workers and their heartbeats. They belong to the deployment: a worker serves every scope. */
export const workTables = (c: Columns) => ({
  workers: c.table('workers', {
    id: c.id('id').primaryKey(),
    lastSeenAt: c.time('last_seen_at').notNull(),
    /** Version of the time-zone data that it uses, such as `2026c`. */
    timeZoneData: c.text('time_zone_data').notNull(),
  }),
});

export type WorkTables = ReturnType<typeof workTables>;
