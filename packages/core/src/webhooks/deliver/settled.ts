// What an attempt makes of its delivery and of its webhook; pure, so that a year of failures is a test without a wait.

import type { PostResult } from '../post.ts';
import { nextAttemptAt } from '../schedule.ts';
import type { DisabledReason } from '../schema.ts';
import type { LeasedDelivery } from '../statements.ts';
import type { DeliveryRow, KeptAttempt } from '../tables.ts';

/** Attempts that a delivery remembers, the last ones; ours: five series. */
const MAX_KEPT = 30;
/** How long nothing may be taken before a webhook is switched off, in milliseconds. Source: contract, Outbound webhooks. */
const FAILING_MS = 120 * 3_600_000;

/** What of a delivery an attempt changes. */
export type DeliveryState = Pick<
  DeliveryRow,
  'status' | 'reason' | 'trigger' | 'attempts' | 'attemptLog' | 'finishedAt' | 'dueAt'
>;

const attemptOf = ({ trigger }: Pick<DeliveryRow, 'trigger'>, beganAt: Date, result: PostResult): KeptAttempt => ({
  at: beganAt.toISOString(),
  trigger,
  status: result.status,
  durationMs: result.durationMs,
  response: result.excerpt,
  error: result.error,
});

/** The delivery after an attempt. Throws nothing. */
export const settled = (row: LeasedDelivery, beganAt: Date, result: PostResult): DeliveryState => {
  const attempts = row.attempts + 1;
  const attemptLog = [...row.attemptLog, attemptOf(row, beganAt, result)].slice(-MAX_KEPT);
  const { outcome, endedAt } = result;
  const dueAt = outcome === 'retry' ? nextAttemptAt(attempts, endedAt) : null;
  const common = { attempts, attemptLog, dueAt, trigger: 'schedule' } as const;
  if (dueAt !== null) return { ...common, status: 'pending', reason: null, finishedAt: null };
  if (outcome === 'delivered') return { ...common, status: 'delivered', reason: null, finishedAt: endedAt };
  const reason = outcome === 'retry' ? 'exhausted' : result.error;
  return { ...common, status: 'failed', reason, finishedAt: endedAt };
};

/** A delivery that ends without an attempt: its webhook is gone, or its row could never be done. Throws nothing. */
export const ended = (
  row: LeasedDelivery,
  status: 'cancelled' | 'failed',
  reason: string,
  now: Date,
): DeliveryState => ({
  status,
  reason,
  trigger: 'schedule',
  attempts: row.attempts,
  attemptLog: row.attemptLog,
  finishedAt: now,
  dueAt: null,
});

/**
 * Why a webhook is switched off after an attempt; null: it is not. Throws nothing.
 *
 * @param failingSince since when no attempt was taken, as it was read before this one; null: the last one was
 */
export const disabling = (
  { outcome, isGone, endedAt }: Pick<PostResult, 'outcome' | 'isGone' | 'endedAt'>,
  failingSince: Date | null,
): DisabledReason | null => {
  if (isGone) return 'gone';
  if (outcome === 'delivered' || failingSince === null) return null;
  return endedAt.getTime() - failingSince.getTime() >= FAILING_MS ? 'failing' : null;
};
