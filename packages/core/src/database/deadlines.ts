// Deadlines of database calls.

import { StorageError } from './errors.ts';

/** The database gives up this long before the caller must be answered. Source: semantics, Deadlines. */
const MARGIN_MS = 100;
/**
 * A call with less time left does not start together with others, since its end would end them too. Chosen: bounds how
 * often callers that wait for one lock are written again.
 */
const MIN_START_MS = 200;
/** Code of a deadline that passed before any wait. */
const DEADLINE = 'DEADLINE';

export const deadlineOver = (): StorageError => new StorageError(DEADLINE);

/** Code of a deadline that passed while an earlier call waited for a lock. Treated as a lock timeout. */
const LOCK_WAIT = 'LOCK_WAIT';

/** The error of a deadline that passed while an earlier call waited for a lock. */
export const lockTimeout = (): StorageError => new StorageError(LOCK_WAIT);

/** Finds out whether a deadline passed because an earlier call waited for a lock. Throws nothing. */
export type LockWaits = {
  /** Records a wait for a lock, from `fromMs` until now. */
  ended(fromMs: number): void;
  /** The error of a call whose deadline passed before its turn. */
  lateError(untilMs: number): StorageError;
};

/** Shorter waits do not count: any statement may take this long. Chosen. */
const MIN_LOCK_WAIT_MS = 50;
/** A deadline that ends within this time after a lock wait passed because of it. Chosen: twice `MIN_START_MS`. */
const AFTER_LOCK_MS = 400;

/** Lock waits of one queue; the last one is remembered. */
export const lockWaits = (): LockWaits => {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    ended: (from) => {
      const now = performance.now();
      if (now - from >= MIN_LOCK_WAIT_MS) [fromMs, toMs] = [from, now];
    },
    lateError: (untilMs) => (untilMs >= fromMs && untilMs <= toMs + AFTER_LOCK_MS ? lockTimeout() : deadlineOver()),
  };
};

/** True if a deadline has passed. Throws nothing. */
export const isPast = (untilMs: number): boolean => untilMs <= performance.now();

/** True if a deadline leaves enough time to start together with other calls. Throws nothing. */
export const hasTimeToStart = (untilMs: number, nowMs = performance.now()): boolean => untilMs - nowMs > MIN_START_MS;

/** Throws StorageError `DEADLINE`, or the error of `lateError`, if a deadline has passed. */
export const checkDeadline = (untilMs: number, lateError: (untilMs: number) => StorageError = deadlineOver): void => {
  if (untilMs !== Number.POSITIVE_INFINITY && isPast(untilMs)) throw lateError(untilMs);
};

/**
 * Whole milliseconds left for the database; Infinity without a deadline. Throws StorageError `DEADLINE` if none are
 * left.
 */
export const databaseMs = (untilMs: number): number => {
  const left = Math.floor(untilMs - performance.now() - MARGIN_MS);
  if (left < 1) throw deadlineOver();
  return left;
};
