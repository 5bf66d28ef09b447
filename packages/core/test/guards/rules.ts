import { SEND_STATUSES, type SendStatus } from '../../src/messaging/sends/schema.ts';
import { each, except, type Rule } from './rule.ts';
import { IDENTITY_WITHOUT_RULE, RULES_OF_IDENTITY } from './rules-of-identity.ts';
import { RULES_OF_SENDING } from './rules-of-sending.ts';
import { sampleRow } from './values.ts';

const KEY = ['scopeId', 'id'] as const;
const FENCED = [...KEY, 'fence'] as const;
const PERSON = ['scopeId', 'person'] as const;
const AT = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T12:00:00.001Z');

/** A fenced row, whose end or change another worker must not repeat. */
const fenced: Rule = { match: FENCED, isGuarded: true };
/** A version that is compared and incremented, so a reader of the previous version conflicts. */
const versioned = (...key: string[]): Rule => ({
  match: [...key, 'version'],
  isGuarded: true,
  isOnce: true,
  raises: ['version'],
});
/** An insert that leaves an existing row alone. */
const fresh = (...match: string[]): Rule => ({ match, isGuarded: true });
/** The same for an existing row with the same meaning. */
const same = (...match: string[]): Rule => ({ match });

const SEND = '01890000-0000-7000-8000-00000000000a';
/** A step gets the result of its send: the stored status decides. */
const stepEnded = (statuses: readonly SendStatus[]): Rule => ({
  match: ['scopeId', 'runId', 'path', 'sendId'],
  row: { outcome: 'ok', sendId: SEND },
  stops: each('outcome', ['suppressed', 'error']),
  beside: ({ sends: table }) => {
    const row = { ...sampleRow(table, []), id: SEND };
    const ofStatus = (these: readonly SendStatus[]) => these.map((status) => ({ ...row, status }));
    const [status] = statuses;
    return {
      table,
      passes: ofStatus(statuses),
      stops: [...ofStatus(except(SEND_STATUSES, statuses)), { ...row, status, scopeId: 2 }],
    };
  },
});

/** What each guarded statement promises, by its id. */
export const RULES: Readonly<Record<string, Rule>> = {
  ...RULES_OF_IDENTITY,
  ...RULES_OF_SENDING,
  'ab_tests.assign': { match: [...KEY, 'version'], isGuarded: true },

  'ai.end': fenced,
  'ai.put_off': { ...fenced, empties: ['leaseUntil'] },

  'counting.insert': fresh(...PERSON, 'eventType'),
  'counting.change': versioned(...PERSON, 'eventType'),
  'counting.absorb': { match: [...PERSON, 'eventType', 'version'], isGuarded: true },

  'audiences.join': fresh('scopeId', 'audienceId', 'person'),
  'audiences.leave': { match: ['scopeId', 'audienceId', 'person'], isGuarded: true },
  'audiences.check': {
    match: KEY,
    row: { dueAt: LATER },
    write: { dueAt: AT },
    stops: [{ dueAt: AT }, { dueAt: new Date(AT.getTime() - 1) }],
    passes: [{ dueAt: LATER }],
  },
  'audiences.end_check': fenced,
  'audiences.check_again': { ...fenced, empties: ['leaseUntil'] },
  'audiences.advance': fenced,
  'audiences.next_stage': { ...fenced, empties: ['leaseUntil', 'cursor'] },

  'callbacks.mark': fresh('scopeId', 'provider', 'eventId'),
  'callbacks.note': { match: KEY },

  'caps.let_go': { match: [...PERSON, 'rule', 'sendId'] },
  'caps.release': {
    match: [...PERSON, 'rule', 'sendId'],
    row: { handovers: 0 },
    stops: [{ handovers: 1 }],
    passes: [{ handovers: -1 }],
  },

  'events.insert_raised': same(...KEY),
  'events.raise': same(...KEY),
  'events.end_raised': fenced,
  'events.insert_message_id': fresh('scopeId', 'messageId'),
  'events.replace_message_id': { match: ['scopeId', 'messageId', 'eventId'], isGuarded: true, isOnce: true },
  'events.forget_message_id': { match: ['scopeId', 'messageId', 'eventId'] },

  'idempotency.begin': fresh('scopeId', 'route', 'key'),
  'idempotency.take_over': {
    match: ['scopeId', 'route', 'key', 'holder'],
    isGuarded: true,
    isOnce: true,
    empties: ['answer'],
  },
  'idempotency.finish': { match: ['scopeId', 'route', 'key', 'holder'], isGuarded: true },
  'idempotency.drop': { match: ['scopeId', 'route', 'key', 'holder'], stops: [{ answer: '{}' }] },

  'plans.count': {
    match: ['orgId', 'month', 'slot'],
    isGuarded: true,
    row: { events: 9 },
    write: { events: 1, maxEvents: 10 },
    stops: [{ events: 10 }],
    passes: [{ events: 0 }],
  },

  'profiles.insert_alias': fresh('scopeId', 'anonymousId'),
  'profiles.insert': fresh(...PERSON),
  'profiles.change': versioned(...PERSON),
  'profiles.patch': versioned(...PERSON),
  'profiles.hold': versioned(...PERSON),
  'profiles.see': { match: PERSON },
  'profiles.absorb': { match: [...PERSON, 'version'], isGuarded: true },

  'geofences.first_crossing': fresh(...PERSON, 'geofenceId', 'transition'),
  'geofences.crossed_again': {
    match: [...PERSON, 'geofenceId', 'transition', 'lastCountedAt'],
    isGuarded: true,
    isOnce: true,
  },

  'push.change_owner': { match: ['tokenKey', 'scopeId'], isGuarded: true, isOnce: true },
  'push.leave': { match: [...KEY, 'registeredAt', 'isActive'], isGuarded: true },
  'push.follow': { match: PERSON },
  'push.deactivate': {
    match: [...KEY, 'registeredAt'],
    isGuarded: true,
    isOnce: true,
    row: { isActive: true },
    write: { isActive: false },
    stops: [{ isActive: false }],
  },
  'push.learn': { match: [...KEY, 'registeredAt'] },

  'live_activities.insert': fresh('scopeId', 'externalId', 'device'),
  'live_activities.push': {
    match: [...KEY, 'lastTimestamp', 'token'],
    isGuarded: true,
    isOnce: true,
    raises: ['updates'],
  },
  'live_activities.invalidate': {
    match: [...KEY, 'token'],
    row: { status: 'active' },
    stops: each('status', ['ended', 'invalidated']),
  },
  'live_activities.retire': { match: KEY },

  'runs.start': same('scopeId', 'workflowId', 'triggerEventId', 'person'),
  'runs.adopt': same('scopeId', 'workflowId', 'triggerEventId', 'person'),
  'runs.stop': same('scopeId', 'workflowId', 'triggerEventId', 'person'),
  'runs.follow': { match: PERSON, row: { dueAt: AT }, stops: [{ dueAt: null }] },
  'runs.wake': {
    match: [...KEY, 'cursor', 'waitingSince'],
    stops: [{ awaitsEvent: null }, { leaseUntil: AT }],
    empties: ['awaitsEvent', 'awaitsFilters'],
  },
  'runs.advance': {
    match: [...FENCED, 'person'],
    isGuarded: true,
    isOnce: true,
    stops: [{ leaseUntil: null }],
    empties: ['leaseUntil'],
  },
  'runs.cancel': {
    match: [...KEY, 'cursor', 'attempt', 'person'],
    isGuarded: true,
    isOnce: true,
    stops: [{ dueAt: null }],
    empties: ['dueAt', 'leaseUntil', 'waitingSince', 'wokenBy', 'awaitsEvent', 'awaitsFilters'],
    raises: ['fence'],
  },
  'runs.retry': {
    match: [...KEY, 'cursor', 'attempt', 'person', 'status'],
    isGuarded: true,
    isOnce: true,
    stops: [{ dueAt: AT }],
    empties: ['exitReason', 'completedAt', 'error'],
    raises: ['fence'],
  },
  'runs.tell': {
    match: [...KEY, 'cursor', 'attempt'],
    row: { dueAt: AT, waitingSince: AT },
    stops: [{ dueAt: null }, { waitingSince: null }, { wokenBy: {} }],
  },
  'runs.step_suppressed': stepEnded(['suppressed', 'cancelled']),
  'runs.step_failed': stepEnded(['failed']),

  'subscriptions.forget': { match: [...PERSON, 'channel', 'category'] },
  'subscriptions.still': {
    match: [...PERSON, 'channel'],
    isGuarded: true,
    row: { isSubscribed: false },
    stops: [{ isSubscribed: true }],
  },
  'suppressions.insert': same('scopeId', 'channel', 'addressKey', 'reason', 'sender'),
  'suppressions.remove': { match: ['scopeId', 'channel', 'addressKey', 'reason', 'sender'] },
  'suppressions.still': { match: ['scopeId', 'channel', 'addressKey'], isGuarded: true },

  'tenancy.note_use': { match: ['id'] },

  'webhooks.insert_body': same(...KEY),
  'webhooks.insert': same(...KEY),
  'webhooks.settle': { match: FENCED, empties: ['leaseUntil'] },
  'webhooks.put_off': { match: FENCED, empties: ['leaseUntil'] },
  'webhooks.failing': { match: KEY, stops: [{ failingSince: AT }] },
  'webhooks.working': { match: KEY, stops: [{ failingSince: null }], empties: ['failingSince'] },
  'webhooks.disable': {
    match: KEY,
    row: { isActive: true },
    write: { isActive: false },
    stops: [{ isActive: false }],
  },
};

/** Statements that change any row, or that have their own test, with the reason. */
export const WITHOUT_RULE: Readonly<Record<string, string>> = {
  ...IDENTITY_WITHOUT_RULE,
  'ai.ask': 'plain insert',
  'callbacks.keep': 'plain insert',
  'events.insert': 'plain insert',
  'runs.record_step': 'plain insert',
  'sending.insert_send': 'plain insert',
  'sending.insert_message': 'plain insert',
  'sending.insert_sandbox_message': 'plain insert',
  'caps.lock': 'holds its row and changes nothing',
  'push.own': 'holds its row, or fails where another scope has it; races in push/tokens.db.test.ts',
  'push.arrive': 'replaces a row whatever it holds; push.change_owner decides who writes it',
  'push.upsert': 'the last registration wins; push.own decides which scope writes it',
  'live_activities.started': 'the newest start has it',
  'subscriptions.put': 'replaces a choice whatever it was',
  'caps.take': 'a test of its own, below',
  'sending.fill': 'a test of its own, below',
  'runs.draw': 'a race of its own, in runs/shares.db.test.ts',
};
