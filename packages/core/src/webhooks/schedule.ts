/** Pauses between the end of a failed attempt and the next one, in milliseconds. Source: semantics, Webhook retry. */
const WAITS_MS = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

/**
 * Time of the next attempt after a failed one, without jitter; null after the last attempt. `Retry-After` is ignored.
 * Source: contract, Decided on 2026-11-28, Webhook schedule.
 *
 * @param attempts attempts of this series including the failed one; 1 or more
 * @param endedAt end of the failed attempt
 */
export const nextAttemptAt = (attempts: number, endedAt: Date): Date | null => {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? null : new Date(endedAt.getTime() + waitMs);
};
