import type { Columns } from '../../database/columns.ts';

/** How much mail orgs may ask for: one row per org that ever did, or that was put on probation. */
export const limitTables = (c: Columns) => ({
  mailLimits: c.table('mail_limits', {
    orgId: c.text('org_id').primaryKey(),
    /** The lower rate of those whose mail is watched. */
    isProbation: c.bool('is_probation').notNull(),
    /** Theoretical arrival time of the bucket, in microseconds since 1970. */
    tatUs: c.big('tat_us').notNull(),
  }),
  /** What orgs have of a kind of calls in place of what all have. */
  callRates: c.table(
    'call_rates',
    { orgId: c.text('org_id').notNull(), kind: c.text('kind').notNull(), perMinute: c.int('per_minute').notNull() },
    (t) => [c.primaryKey({ columns: [t.orgId, t.kind] })],
  ),
  /** Buckets of calls that several processes share: those that were much used lately. */
  callBuckets: c.table(
    'call_buckets',
    {
      /** Digest of the caller: the row holds no address. */
      digest: c.text('digest').primaryKey(),
      tatUs: c.big('tat_us').notNull(),
      /** The last report of a process: calls it had admitted since its previous report, calls it requested, and the rate. */
      unsynced: c.big('unsynced').notNull(),
      requested: c.big('requested').notNull(),
      periodUs: c.big('period_us').notNull(),
      burst: c.big('burst').notNull(),
      /** How many of the requested calls were granted. */
      granted: c.big('granted').notNull(),
    },
    (t) => [c.index('call_buckets_tat').on(t.tatUs)],
  ),
});

export type LimitTables = ReturnType<typeof limitTables>;
