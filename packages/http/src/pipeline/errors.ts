import { BeckonError, isOutcomeUnknown, isUnavailable, type Log, timeoutOf } from '@beckon/core';
import type { Answer } from './envelope.ts';

/** Retry-After for an unreachable database, in seconds. Chosen: it either returns at once or is gone for long. */
const UNAVAILABLE_RETRY_SECONDS = 1;

/** After these errors the rest of the body may still arrive, and nothing reads it. */
const CLOSING = new Set<string>(['PAYLOAD_TOO_LARGE', 'DEADLINE_EXCEEDED']);

/** The error envelope as JSON. Throws nothing. */
export const envelopeOf = ({ code, message, details }: BeckonError): string =>
  JSON.stringify({ success: false, error: { code, message, details } });

const fail = (error: BeckonError): Answer => {
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds);
  if (CLOSING.has(error.code)) headers['Connection'] = 'close';
  return { status: error.status, headers, body: envelopeOf(error) };
};

const NOTHING_DONE = 'The database is unreachable. Beckon stored nothing. Retry.';
const OUTCOME_UNKNOWN =
  'The connection to the database broke during a write, so the request may have succeeded. Repeat it unchanged: ' +
  'with its messageId or Idempotency-Key it takes effect once.';

const TOO_LONG = 'The request took longer than its time limit. Beckon stored nothing. Retry, or request less.';

const unavailable = (message: string): BeckonError =>
  new BeckonError('OVERLOADED', message, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });

const hidden = (requestId: string): BeckonError =>
  new BeckonError('INTERNAL', `Internal error. Search the log for request ${requestId}.`);

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.name) : `a thrown ${typeof error}`;

/**
 * The error envelope of any thrown value.
 *
 * @returns a BeckonError's own status and message; 503 LOCK_TIMEOUT, QUERY_TIMEOUT or DEADLINE_EXCEEDED if it took too
 * long; 503 OVERLOADED if the database was unavailable or disconnected during a write; else 500 INTERNAL, which names
 * the request id only and is logged once, with its stack. Throws nothing.
 */
export const answerOfError = (thrown: unknown, requestId: string, log: Log): Answer => {
  if (thrown instanceof BeckonError && thrown.code !== 'INTERNAL') return fail(thrown);
  const timeout = timeoutOf(thrown);
  if (timeout !== null) {
    log.warn({ requestId, code: timeout, stack: stackOf(thrown) }, 'a request ran out of time');
    return fail(new BeckonError(timeout, TOO_LONG, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS }));
  }
  if (isUnavailable(thrown) || isOutcomeUnknown(thrown)) {
    log.warn({ requestId, code: 'OVERLOADED', stack: stackOf(thrown) }, 'the database could not serve a request');
    return fail(unavailable(isOutcomeUnknown(thrown) ? OUTCOME_UNKNOWN : NOTHING_DONE));
  }
  const cause = thrown instanceof BeckonError ? (thrown.cause ?? thrown) : thrown;
  log.error({ requestId, code: 'INTERNAL', stack: stackOf(cause) }, 'a request failed');
  return fail(hidden(requestId));
};

/** The 405 of a path that has other methods. */
export const methodNotAllowed = (allowed: readonly string[]): Answer => {
  const error = new BeckonError('METHOD_NOT_ALLOWED', `Method not allowed. This path supports ${allowed.join(', ')}.`);
  return { ...fail(error), headers: { Allow: allowed.join(', ') } };
};
