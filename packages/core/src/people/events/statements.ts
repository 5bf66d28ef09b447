import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { EventTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;

/** The statements of ingest that belong to events. */
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
  /** What the service itself raises. An id that is there stands for the same event. */
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
  /** What somebody listens to, for the worker. */
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
  /** Guarded by the fence: what another worker took is for that one to do. */
  endRaised: bulkDelete('events.end_raised', raisedEvents, { where: [...SCOPE, 'id', 'fence'], isGuarded: true }),
  /** Guarded: a messageId that another process stored meanwhile makes the item a duplicate. */
  insertMessageId: bulkInsert(
    'events.insert_message_id',
    eventMessageIds,
    [...SCOPE, 'messageId', 'eventId', 'receivedAt'],
    { conflict: { target: [...SCOPE, 'messageId'] }, isGuarded: true },
  ),
  /** A messageId older than the window is taken over by the new event. */
  replaceMessageId: bulkUpdate('events.replace_message_id', eventMessageIds, {
    where: [...SCOPE, 'messageId', 'eventId'],
    set: { eventId: 'value', receivedAt: 'value' },
    isGuarded: true,
  }),
  /** Compared with the event that took the id, which may be a newer one by now. */
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
