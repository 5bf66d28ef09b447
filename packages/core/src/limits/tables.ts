import type { Columns } from '../storage/columns.ts';

/** How much mail orgs may ask for: one row per org that ever did, or that was put on probation. */
export const limitTables = (c: Columns) => ({
  mailLimits: c.table('mail_limits', {
    orgId: c.text('org_id').primaryKey(),
    /** The lower rate of those whose mail is watched. */
    isProbation: c.bool('is_probation').notNull(),
    /** Theoretical arrival time of the bucket, in microseconds since 1970. */
    tatUs: c.big('tat_us').notNull(),
  }),
});

export type LimitTables = ReturnType<typeof limitTables>;
