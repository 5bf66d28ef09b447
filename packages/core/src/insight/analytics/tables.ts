import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';

/**
 * What is rolled up, by when it began. Of events it is hours since 1970 in UTC, each with its four quarters, which every
 * zone's hours begin at.
 */
export const analyticsTables = (c: Columns) => ({
  /** How many events of a name there were. */
  eventHours: c.table(
    'event_hours',
    {
      scopeId: c.scope('scope_id').notNull(),
      hour: c.int('hour').notNull(),
      eventType: c.text('event_type').notNull(),
      module: c.text('module').notNull(),
      source: c.text('source').notNull(),
      quarter0: c.int('quarter_0').notNull(),
      quarter1: c.int('quarter_1').notNull(),
      quarter2: c.int('quarter_2').notNull(),
      quarter3: c.int('quarter_3').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.hour, t.eventType, t.module, t.source] })],
  ),
  /** What became of sends that were made in a quarter of an hour, until it was counted last. */
  sendQuarters: c.table(
    'send_quarters',
    {
      scopeId: c.scope('scope_id').notNull(),
      quarter: c.int('quarter').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      /** `none`: they had none, here and below. */
      templateId: c.text('template_id').notNull(),
      workflowId: c.text('workflow_id').notNull(),
      targeted: c.int('targeted').notNull(),
      sent: c.int('sent').notNull(),
      delivered: c.int('delivered').notNull(),
      opened: c.int('opened').notNull(),
      clicked: c.int('clicked').notNull(),
      bounced: c.int('bounced').notNull(),
      failed: c.int('failed').notNull(),
      suppressed: c.int('suppressed').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.quarter, t.channel, t.templateId, t.workflowId] })],
  ),
  /** People who were active in an hour, as a sample of digests (sample.ts). */
  activeHours: c.table(
    'active_hours',
    {
      scopeId: c.scope('scope_id').notNull(),
      hour: c.int('hour').notNull(),
      /** 0: the sample holds everybody; else one of 2^level. */
      sampleLevel: c.int('sample_level').notNull(),
      sample: c.text('sample').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.hour] })],
  ),
  /** Queries that processes run for orgs at this moment. PostgreSQL only. */
  analyticsQuerySlots: c.table(
    'analytics_query_slots',
    {
      orgId: c.text('org_id').notNull(),
      slot: c.int('slot').notNull(),
      holder: c.text('holder').notNull(),
      /** By the database's clock: the slot is free afterwards, whatever its holder does. */
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.slot] })],
  ),
});

export type AnalyticsTables = ReturnType<typeof analyticsTables>;
