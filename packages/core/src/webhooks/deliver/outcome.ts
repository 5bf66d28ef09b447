// How an attempt changes its delivery and its webhook. Pure functions, so tests need no clock.

import type { PostResult } from '../post.ts';
import { nextAttemptAt } from '../schedule.ts';
import type { DisabledReason } from '../schema.ts';
import type { LeasedDelivery } from '../statements.ts';
import type { DeliveryRow, KeptAttempt } from '../tables.ts';

/** Stored attempts per delivery, the newest. Chosen: five series of six. */
const MAX_KEPT = 30;
/** Time without a success after which a webhook is disabled, in milliseconds. Source: contract, Outbound webhooks. */
const FAILING_MS = 120 * 3_600_000;

/** The columns of a delivery that an attempt changes. */
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

/** A delivery that ends without an attempt, because its webhook was deleted or its row keeps failing. Throws nothing. */
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
 * Why a webhook is disabled after an attempt; null if it stays active. Throws nothing.
 *
 * @param failingSince time of the first failure since the last success, read before this attempt; null if none
 */
export const disabledReasonOf = (
  { outcome, isGone, endedAt }: Pick<PostResult, 'outcome' | 'isGone' | 'endedAt'>,
  failingSince: Date | null,
): DisabledReason | null => {
  if (isGone) return 'gone';
  if (outcome === 'delivered' || failingSince === null) return null;
  return endedAt.getTime() - failingSince.getTime() >= FAILING_MS ? 'failing' : null;
};
