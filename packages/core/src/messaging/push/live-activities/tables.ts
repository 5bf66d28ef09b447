import { sql } from 'drizzle-orm';
import type { Columns } from '../../../database/columns.ts';
import type { ApnsEnvironment } from '../../../foundation/device-platform.ts';
import type { StoredPush } from './content.ts';
import type { ActivityStatus } from './schema.ts';

/** `person` of an activity whose device names no user. */
export const NOBODY = '';

/** Live Activities on devices, start tokens, and pushes that wait for a first token. */
export const liveActivityTables = (c: Columns) => ({
  liveActivities: c.table(
    'live_activities',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** The caller's id; several devices may show the activity. */
      externalId: c.text('external_id').notNull(),
      /** Distinguishes devices with the same activity: the device's activity id, else its first token. */
      device: c.text('device').notNull(),
      /** Token of this activity on one device; the system may change it. */
      token: c.text('token').notNull(),
      /** Empty (`NOBODY`): the device gave a placeholder for its user. */
      person: c.text('person').notNull(),
      activityType: c.text('activity_type').notNull(),
      apnsEnvironment: c.text('apns_environment').$type<ApnsEnvironment>(),
      /** `stale` is not stored: it is `active` past `staleAt`. */
      status: c.text('status').$type<Exclude<ActivityStatus, 'stale'>>().notNull(),
      startedAt: c.time('started_at').notNull(),
      lastUpdatedAt: c.time('last_updated_at').notNull(),
      endedAt: c.time('ended_at'),
      staleAt: c.time('stale_at'),
      updates: c.int('updates').notNull(),
      /** Unix seconds of the last push; devices ignore older ones. */
      lastTimestamp: c.big('last_timestamp').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('live_activities_device').on(t.scopeId, t.externalId, t.device),
      c.index('live_activities_person').on(t.scopeId, t.person),
      c.index('live_activities_updated').on(t.lastUpdatedAt).where(sql`status = 'active'`),
    ],
  ),
  liveActivityStartTokens: c.table(
    'live_activity_start_tokens',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** Starts activities of one type on one device. */
      token: c.text('token').notNull(),
      activityType: c.text('activity_type').notNull(),
      /** As for an activity. */
      person: c.text('person').notNull(),
      apnsEnvironment: c.text('apns_environment').$type<ApnsEnvironment>(),
      isActive: c.bool('is_active').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('live_activity_start_tokens_token').on(t.scopeId, t.token, t.activityType),
      c.index('live_activity_start_tokens_person').on(t.scopeId, t.person),
    ],
  ),
  liveActivityPendingPushes: c.table(
    'live_activity_pending_pushes',
    {
      scopeId: c.scope('scope_id').notNull(),
      externalId: c.text('external_id').notNull(),
      /** The newest push that arrived before any token. */
      push: c.json<StoredPush>('push').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.externalId] }),
      c.index('live_activity_pending_pushes_created').on(t.createdAt),
    ],
  ),
  /** Activities that Beckon started: a device that registers one of them did not start it. */
  liveActivityStarts: c.table(
    'live_activity_starts',
    {
      scopeId: c.scope('scope_id').notNull(),
      externalId: c.text('external_id').notNull(),
      startedAt: c.time('started_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.externalId] }),
      c.index('live_activity_starts_started').on(t.startedAt),
    ],
  ),
});

export type LiveActivityTables = ReturnType<typeof liveActivityTables>;
export type LiveActivityRow = LiveActivityTables['liveActivities']['$inferSelect'];
export type StarterRow = LiveActivityTables['liveActivityStartTokens']['$inferSelect'];
