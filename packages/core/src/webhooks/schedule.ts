/** How long after the end of a failed attempt the next one comes, in milliseconds. Source: semantics, Webhook retry. */
const WAITS_MS = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

/**
 * When a delivery comes again whose attempt failed, without jitter; null: that was its last one. A `Retry-After` of the
 * receiver changes nothing. Source: contract, Decided on 2026-11-28, Webhook schedule.
 *
 * @param attempts of this series, the failed one among them; 1 or more
 * @param endedAt when the failed one ended
 */
export const nextAttemptAt = (attempts: number, endedAt: Date): Date | null => {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? null : new Date(endedAt.getTime() + waitMs);
};
