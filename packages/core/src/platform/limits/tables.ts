import type { Columns } from '../../database/columns.ts';

/** Email limits: one row per organization that ever sent email or was put on probation. */
export const limitTables = (c: Columns) => ({
  mailLimits: c.table('mail_limits', {
    orgId: c.text('org_id').primaryKey(),
    /** True: the lower rate of watched organizations applies. */
    isProbation: c.bool('is_probation').notNull(),
    /** Theoretical arrival time of the bucket, in microseconds since 1970. */
    tatUs: c.big('tat_us').notNull(),
  }),
  /** Call rates set for organizations in place of the defaults. */
  callRates: c.table(
    'call_rates',
    { orgId: c.text('org_id').notNull(), kind: c.text('kind').notNull(), perMinute: c.int('per_minute').notNull() },
    (t) => [c.primaryKey({ columns: [t.orgId, t.kind] })],
  ),
  /** Call buckets shared by processes: those with much recent use. */
  callBuckets: c.table(
    'call_buckets',
    {
      /** A digest, so that the row reveals no address. */
      digest: c.text('digest').primaryKey(),
      tatUs: c.big('tat_us').notNull(),
      /** The last sync of any process: what it had taken, what it requested, and at which rate. */
      unsynced: c.big('unsynced').notNull(),
      requested: c.big('requested').notNull(),
      periodUs: c.big('period_us').notNull(),
      burst: c.big('burst').notNull(),
      /** The granted part of the request. */
      granted: c.big('granted').notNull(),
    },
    (t) => [c.index('call_buckets_tat').on(t.tatUs)],
  ),
});

export type LimitTables = ReturnType<typeof limitTables>;
