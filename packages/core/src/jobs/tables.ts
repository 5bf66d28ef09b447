import type { Columns } from '../database/columns.ts';

/** Which workers there are, by what they say of themselves. Of the deployment: a worker serves every scope. */
export const workTables = (c: Columns) => ({
  workers: c.table('workers', {
    id: c.id('id').primaryKey(),
    lastSeenAt: c.time('last_seen_at').notNull(),
    /** The version of the time-zone data by which it judges, such as `2026c`. */
    timeZoneData: c.text('time_zone_data').notNull(),
  }),
});

export type WorkTables = ReturnType<typeof workTables>;
