import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';

/**
 * Roll-ups by start time. Events: hours since 1970 in UTC with four quarters each, because hours of every time zone
 * begin at one.
 */
export const analyticsTables = (c: Columns) => ({
  /** Number of events of a name. */
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
  /** Results of the sends created in a quarter hour, up to their last count. */
  sendQuarters: c.table(
    'send_quarters',
    {
      scopeId: c.scope('scope_id').notNull(),
      quarter: c.int('quarter').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      /** `none` for sends without one, here and below. */
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
  /** Active users of an hour as a sample of digests (sample.ts). */
  activeHours: c.table(
    'active_hours',
    {
      scopeId: c.scope('scope_id').notNull(),
      hour: c.int('hour').notNull(),
      /** 0: the sample is complete; else it has one of 2^level users. */
      sampleLevel: c.int('sample_level').notNull(),
      sample: c.text('sample').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.hour] })],
  ),
  /** Running queries of orgs over all processes. PostgreSQL only. */
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
