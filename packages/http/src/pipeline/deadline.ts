import { BeckonError } from '@beckon/core';
import type { Kind } from '../route.ts';

/**
 * Milliseconds that a request of each kind may take. Source: interface, Time budgets; semantics, Deadlines.
 *
 * Enforced here on the reading of the body. The engine's call is not raced against a timer: a commit that is under way
 * is awaited, because an answer DEADLINE_EXCEEDED promises that a retry does not duplicate. The start is when the
 * request's head was complete, which is as early as the server is told.
 */
export const BUDGET_MS: Readonly<Record<Kind, number>> = {
  ingest: 5_000,
  sdk: 9_000,
  public: 9_000,
  secret: 30_000,
  none: 30_000,
};

/** Seconds after which a sender that was too slow may try again. Ours. */
const RETRY_SECONDS = 1;

/** The 503 of a body that was sent too slowly. */
export const bodyTooSlow = (): BeckonError =>
  new BeckonError('DEADLINE_EXCEEDED', 'The body was not complete in time; nothing of this request was done.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
