import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { EventTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;

/** Event statements of ingest. */
export const eventStatements = ({ events, eventMessageIds, raisedEvents }: EventTables) => ({
  insertEvent: bulkInsert('events.insert', events, [
    ...SCOPE,
    'id',
    'person',
    'personKey',
    'anonymousId',
    'module',
    'eventType',
    'properties',
    'traits',
    'context',
    'sessionId',
    'messageId',
    'source',
    'timestamp',
    'receivedAt',
  ]),
  /** An event that Beckon raised. An existing row with the id is the same event. */
  insertRaised: bulkInsert(
    'events.insert_raised',
    events,
    [
      ...SCOPE,
      'id',
      'person',
      'personKey',
      'anonymousId',
      'module',
      'eventType',
      'properties',
      'source',
      'timestamp',
      'receivedAt',
    ],
    { conflict: { target: [...SCOPE, 'id'] } },
  ),
  /** A raised event with subscribers, for the worker. */
  raise: bulkInsert(
    'events.raise',
    raisedEvents,
    [
      ...SCOPE,
      'id',
      'person',
      'module',
      'eventType',
      'properties',
      'depth',
      'runBudget',
      'budgetRunId',
      'raisedAt',
      'dueAt',
      'fence',
    ],
    { conflict: { target: [...SCOPE, 'id'] } },
  ),
  /** Guarded by the fence: a row that another worker claimed meanwhile is left to it. */
  endRaised: bulkDelete('events.end_raised', raisedEvents, { where: [...SCOPE, 'id', 'fence'], isGuarded: true }),
  /** Guarded: if another process stored the messageId meanwhile, the item is a duplicate. */
  insertMessageId: bulkInsert(
    'events.insert_message_id',
    eventMessageIds,
    [...SCOPE, 'messageId', 'eventId', 'receivedAt'],
    { conflict: { target: [...SCOPE, 'messageId'] }, isGuarded: true },
  ),
  /** Assigns a messageId older than the window to the new event. */
  replaceMessageId: bulkUpdate('events.replace_message_id', eventMessageIds, {
    where: [...SCOPE, 'messageId', 'eventId'],
    set: { eventId: 'value', receivedAt: 'value' },
    isGuarded: true,
  }),
  /** Compares the event id: a newer event may own the messageId by now. */
  forgetMessageId: bulkDelete('events.forget_message_id', eventMessageIds, {
    where: [...SCOPE, 'messageId', 'eventId'],
  }),
  messageIds: bulkSelect(
    'events.message_ids',
    eventMessageIds,
    [...SCOPE, 'messageId'],
    [...SCOPE, 'messageId', 'eventId', 'receivedAt'],
  ),
});

export type EventStatements = ReturnType<typeof eventStatements>;
