import { BeckonError } from '@beckon/core';
import type { Kind, Route } from '../route.ts';

/**
 * Milliseconds that a request of each kind may take. Source: interface, Time budgets; semantics, Deadlines.
 *
 * The budget applies to reading the body and to database queries (`withDeadline`). The engine's call is not raced
 * against a timer, because DEADLINE_EXCEEDED promises that a retry does not duplicate. It starts when the request's
 * head is complete, which is as early as the server is notified.
 */
const BUDGET_MS: Readonly<Record<Kind, number>> = {
  ingest: 5_000,
  sdk: 9_000,
  signin: 9_000,
  refresh: 9_000,
  public: 9_000,
  secret: 30_000,
  none: 30_000,
};
/** Budget of secret analytics routes. Source: as above. */
const ANALYTICS_MS = 20_000;
const ANALYTICS = /^\/analytics(?:\/|$)/;

/** Milliseconds that a request of a route may take. Throws nothing. */
export const budgetOf = ({ kind, path }: Pick<Route, 'kind' | 'path'>): number =>
  kind === 'secret' && ANALYTICS.test(path) ? ANALYTICS_MS : BUDGET_MS[kind];

/**
 * Seconds after which a sender that was too slow may retry. Chosen: the sender's network is the cause, not our load.
 */
const RETRY_SECONDS = 1;

/** The error of a call whose client closed the connection; nobody reads it. */
export const clientLeft = (): BeckonError =>
  new BeckonError('DEADLINE_EXCEEDED', 'The client closed the connection.', { retryAfterSeconds: RETRY_SECONDS });

/** The 503 for a body that was sent too slowly. */
export const bodyTooSlow = (): BeckonError =>
  new BeckonError(
    'DEADLINE_EXCEEDED',
    'The request body did not arrive completely in time. Beckon stored nothing. Retry.',
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  );
