import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { AbTestStatus, Metric, StoredVariant } from './schema.ts';

/** A/B tests; the assigned variants are columns of messages. */
export const abTestTables = (c: Columns) => ({
  abTests: c.table(
    'ab_tests',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      name: c.text('name').notNull(),
      status: c.text('status').$type<AbTestStatus>().notNull(),
      variants: c.json<readonly StoredVariant[]>('variants').notNull(),
      metric: c.json<Metric>('metric').notNull(),
      /** Event type of the metric; null: the metric counts no events. */
      eventType: c.text('event_type'),
      winnerKey: c.text('winner_key'),
      /** Incremented by each change of variants and metric, so that no message gets an outdated variant. */
      version: c.int('version').notNull(),
      /** When the first message got a variant; from then on variants and metric are immutable. */
      assignedAt: c.time('assigned_at'),
      startedAt: c.time('started_at').notNull(),
      completedAt: c.time('completed_at'),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('ab_tests_channel').on(t.scopeId, t.channel, t.id),
      c.index('ab_tests_counting').on(t.scopeId).where(sql`event_type is not null`),
    ],
  ),
});

export type AbTestTables = ReturnType<typeof abTestTables>;
