import { IDENTIFY_SHAPE } from '@beckon/core';
import { succeed, succeedWithEvent } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute } from '../route.ts';

/** Bytes. Source: interface, Request body caps; `/identify` is not in that table. */
const EVENT_BODY_CAP = 32_768;
const BATCH_BODY_CAP = 65_536;

const ingest = { method: 'POST', shape: 'auto', kind: 'ingest', scope: 'events.write', needs: 'project' } as const;

/** What devices and servers report. */
export const eventRoutes: readonly ProjectRoute[] = [
  {
    ...ingest,
    path: '/events',
    bodyCap: EVENT_BODY_CAP,
    run: async (beckon, { scope, body, bodyBytes }) =>
      succeedWithEvent(await beckon.events.accept(scope, body, { bytes: bodyBytes })),
  },
  {
    ...ingest,
    path: '/events/batch',
    bodyCap: BATCH_BODY_CAP,
    isBeacon: true,
    isIdempotent: true,
    run: (beckon, call) =>
      onceOnly(
        call,
        (options) => beckon.events.acceptBatch(call.scope, call.body, { bytes: call.bodyBytes, ...options }),
        succeed,
      ),
  },
  {
    ...ingest,
    path: '/identify',
    bodyCap: DEFAULT_BODY_CAP,
    reads: IDENTIFY_SHAPE,
    run: async (beckon, { scope, body, bodyBytes }) =>
      succeedWithEvent(await beckon.events.identify(scope, body, { bytes: bodyBytes })),
  },
];
