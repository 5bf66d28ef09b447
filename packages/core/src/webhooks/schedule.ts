/** How long after the end of a failed attempt the next one comes, in milliseconds. Source: semantics, Webhook retry. */
const WAITS_MS = [30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

/** The longest wait that a receiver may ask for: that of the schedule. Ours. */
const LONGEST_MS = WAITS_MS[WAITS_MS.length - 1] ?? 0;

/**
 * When a delivery comes again whose attempt failed, without jitter; null: that was its last one. A receiver that asks for
 * a later moment gets the attempt then, within the longest wait that there is; none gets it sooner, or more of them.
 *
 * @param attempts of this series, the failed one among them; 1 or more
 * @param endedAt when the failed one ended
 * @param retryAfterMs what the receiver asked for; absent: nothing
 * Source: semantics, Webhook retry; that a later moment is kept is ours.
 */
export const nextAttemptAt = (attempts: number, endedAt: Date, retryAfterMs = 0): Date | null => {
  const waitMs = WAITS_MS[attempts - 1];
  if (waitMs === undefined) return null;
  return new Date(endedAt.getTime() + Math.max(waitMs, Math.min(retryAfterMs, LONGEST_MS)));
};
