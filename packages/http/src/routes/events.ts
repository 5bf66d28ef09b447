import { IDENTIFY_SHAPE } from '@beckon/core';
import { succeed, succeedWithEvent, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { listQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

/** Bytes. Source: interface, Request body caps; `/identify` is not in that table. */
const EVENT_BODY_CAP = 32_768;
const BATCH_BODY_CAP = 65_536;

const ingest = { method: 'POST', shape: 'auto', kind: 'ingest', scope: 'events.write', needs: 'project' } as const;

const read = reading('profiles:read');
const eventQuery = listQuery.omit({ count: true });

/** Events from devices and servers, and their lists. */
export const eventRoutes: readonly ProjectRoute[] = [
  {
    ...ingest,
    path: '/events',
    summary: 'Track an event',
    description:
      'Stores the event, updates the profile and starts workflows in one transaction. A 200 response means that the event is on disk. An event without `userId` and `anonymousId` belongs to no profile.',
    takes: 'EventInput',
    answer: { 200: 'Accepted' },
    errors: ['CONFLICT'],
    bodyCap: EVENT_BODY_CAP,
    run: async (beckon, { scope, keyKind, body, bodyBytes }) =>
      succeedWithEvent(await beckon.events.track(scope, body, { bytes: bodyBytes, keyKind })),
  },
  {
    ...ingest,
    path: '/events/batch',
    summary: 'Track several events',
    description:
      'Each event is accepted or rejected by itself; the response lists the results in the order of the request. At most 500 events.',
    takes: 'EventBatchInput',
    answer: { 200: 'BatchAnswer' },
    bodyCap: BATCH_BODY_CAP,
    isBeacon: true,
    isIdempotent: true,
    run: (beckon, call) => {
      const { scope, keyKind, body, bodyBytes } = call;
      return onceOnly(
        call,
        (options) => beckon.events.batch(scope, body, { bytes: bodyBytes, keyKind, ...options }),
        succeed,
      );
    },
  },
  {
    ...ingest,
    path: '/identify',
    summary: 'Identify a user',
    description:
      'Creates or updates the profile of the user. With `anonymousId`, the anonymous profile merges into the profile of the user.',
    takes: 'IdentifyInput',
    answer: { 200: 'Accepted' },
    errors: ['CONFLICT'],
    bodyCap: DEFAULT_BODY_CAP,
    reads: IDENTIFY_SHAPE,
    run: async (beckon, { scope, body, bodyBytes }) =>
      succeedWithEvent(await beckon.events.identify(scope, body, { bytes: bodyBytes })),
  },
  {
    ...read,
    path: '/events',
    summary: 'List events',
    description: 'Newest first. Contains events that clients sent and events that Beckon raised.',
    answer: { page: 'EventRecord' },
    query: eventQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.events.list(scope, readQuery(query, eventQuery))),
  },
  {
    ...read,
    path: '/events/:id',
    summary: 'Get an event',
    description: 'Contains, for each workflow with this trigger, whether a run started and why not.',
    answer: { 200: 'ExplainedEvent' },
    run: async (beckon, call) => succeed(await beckon.events.get(call.scope, param(call, 'id'))),
  },
];
