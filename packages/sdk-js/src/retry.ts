import type { ApiError } from './errors.ts';

/** What to do after a refusal. */
export type Verdict = 'done' | 'wait' | 'quota' | 'split' | 'drop';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Ratio of a wait by which it is shorter or longer. Source of all three: interface, Errors, 429. */
const JITTER = 0.2;

/** What becomes of what the service refused so. Source: sdk, Retry. Throws nothing. */
export const judge = ({ status, details: { reason } }: ApiError): Verdict => {
  if (status === 413) return 'split';
  if (status === 409) return reason === 'duplicate' ? 'done' : reason === 'idempotency_in_progress' ? 'wait' : 'drop';
  if (status === 429) return reason === 'quota' ? 'quota' : 'wait';
  return status === 0 || status === 408 || status >= 500 ? 'wait' : 'drop';
};

/**
 * Milliseconds until the next attempt: 1 s, doubling to 60 s, 20 % more or less, and never less than the service asks.
 *
 * @param failures attempts that failed before this wait, 1 or more
 * @param random 0 to 1
 */
export const waitMs = ({ details }: ApiError, failures: number, random: number): number =>
  Math.max(
    Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * random),
    Number(details['retryAfterSeconds'] ?? 0) * 1_000,
  );
