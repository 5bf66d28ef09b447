import type { ApiError } from './errors.ts';

/** What to do after an error response; null: nothing, because the service has the entry already. */
export type Verdict = 'wait' | 'quota' | 'split' | 'drop' | null;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Jitter of a wait, as a ratio. Source of all three: interface, Errors, 429. */
const JITTER = 0.2;

/** The action for an error response. Source: sdk, Retry. Throws nothing. */
export const verdictOf = ({ status, details: { reason } }: ApiError): Verdict => {
  if (reason === 'quota') return reason;
  if (reason === 'duplicate') return null;
  if (status === 413) return 'split';
  const mayPass = reason === 'idempotency_in_progress' || [0, 408, 429].includes(status);
  return mayPass || status >= 500 ? 'wait' : 'drop';
};

/**
 * Milliseconds until the next attempt: 1 s, doubling to 60 s, 20 % more or less, and never less than the service asks.
 *
 * @param failures failed attempts before this wait, 1 or more
 * @param random 0 to 1
 */
export const waitMs = (details: ApiError['details'], failures: number, random: number): number =>
  Math.max(
    Math.min((FIRST_WAIT_MS / 2) * 2 ** failures, LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * random),
    Number(details['retryAfterSeconds'] ?? 0) * 1_000,
  );
