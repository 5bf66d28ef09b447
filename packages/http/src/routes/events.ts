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

/** What devices and servers report, and what became of it. */
export const eventRoutes: readonly ProjectRoute[] = [
  {
    ...ingest,
    path: '/events',
    summary: 'Say that something happened',
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
    summary: 'Say that several things happened; each is taken or refused by itself',
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
    summary: 'Say who somebody is',
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
    summary: 'List events, newest first',
    answer: { page: 'EventRecord' },
    query: eventQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.events.list(scope, readQuery(query, eventQuery))),
  },
  {
    ...read,
    path: '/events/:id',
    summary: 'Read an event, and why workflows did or did not start',
    answer: { 200: 'ExplainedEvent' },
    run: async (beckon, call) => succeed(await beckon.events.get(call.scope, param(call, 'id'))),
  },
];
