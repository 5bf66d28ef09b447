import { bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { LiveActivityTables } from './tables.ts';

const KEY = ['scopeId', 'id'] as const;
const NAMED = ['scopeId', 'externalId'] as const;

/** Statements of registrations, pushes and provider answers. */
export const liveActivityStatements = ({
  liveActivities,
  liveActivityStartTokens,
  liveActivityStarts,
}: LiveActivityTables) => ({
  named: bulkSelect('live_activities.named', liveActivities, NAMED, [
    ...KEY,
    'externalId',
    'device',
    'token',
    'person',
    'activityType',
    'apnsEnvironment',
    'status',
    'startedAt',
    'lastUpdatedAt',
    'endedAt',
    'staleAt',
    'updates',
    'lastTimestamp',
  ]),
  owners: bulkSelect('live_activities.owners', liveActivities, KEY, [
    ...KEY,
    'externalId',
    'token',
    'person',
    'activityType',
  ]),
  starters: bulkSelect('live_activities.starters', liveActivityStartTokens, KEY, [
    ...KEY,
    'person',
    'activityType',
    'isActive',
  ]),
  insert: bulkInsert(
    'live_activities.insert',
    liveActivities,
    [
      ...KEY,
      'externalId',
      'device',
      'token',
      'person',
      'activityType',
      'apnsEnvironment',
      'status',
      'startedAt',
      'lastUpdatedAt',
      'updates',
      'lastTimestamp',
    ],
    { conflict: { target: [...NAMED, 'device'] }, isGuarded: true },
  ),
  /** Marks an activity as started by Beckon. */
  started: bulkInsert('live_activities.started', liveActivityStarts, [...NAMED, 'startedAt'], {
    conflict: { target: NAMED, set: ['startedAt'] },
  }),
  /** Guarded by the timestamp and token that were read: a concurrent push, or a token change, makes it plan again. */
  push: bulkUpdate('live_activities.push', liveActivities, {
    where: [...KEY, 'lastTimestamp', 'token'],
    set: {
      lastTimestamp: 'value',
      lastUpdatedAt: 'value',
      status: 'value',
      endedAt: 'value',
      staleAt: 'value',
      updates: 'increment',
    },
    isGuarded: true,
  }),
  invalidate: bulkUpdate('live_activities.invalidate', liveActivities, {
    where: [...KEY, 'token'],
    set: { status: 'value', endedAt: 'value' },
    when: (column) => `${column('status')} = 'active'`,
  }),
  retire: bulkUpdate('live_activities.retire', liveActivityStartTokens, { where: KEY, set: { isActive: 'value' } }),
});

export type LiveActivityStatements = ReturnType<typeof liveActivityStatements>;
