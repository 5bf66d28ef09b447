// What a deadline leaves to the database.

import { StorageError } from './errors.ts';

/** By how much the database gives up before whoever asked has to be answered. Source: semantics, Deadlines. */
const MARGIN_MS = 100;
/**
 * Whoever has less than this left is not begun with others, whom its end would end as well. Ours: with many who wait for
 * one lock, they are written anew at most so often.
 */
const LEAST_MS = 200;
/** Our code of a deadline that was over before anything was waited for. */
const OVER = 'DEADLINE';

export const deadlineOver = (): StorageError => new StorageError(OVER);

/** Our code of a deadline that passed behind a call which waited for somebody's lock. Read as a lock that was not had. */
const BEHIND_LOCK = 'LOCK_WAIT';

/** A deadline that passed while what had to go first waited for a lock. */
export const lockNotHad = (): StorageError => new StorageError(BEHIND_LOCK);

/** Tells whether a deadline passed because something ahead waited for a lock. Throws nothing. */
export type LockWaits = {
  /** A wait for a lock, which lasted from `fromMs` until now. */
  ended(fromMs: number): void;
  /** What a call is told whose deadline has passed before it had its turn. */
  late(untilMs: number): StorageError;
};

/** A shorter wait is none: so long may any statement take. Chosen. */
const LEAST_LOCK_WAIT_MS = 50;
/** A deadline that ends so soon behind a wait for a lock passed because of it. Chosen: twice `LEAST_MS`. */
const AFTER_LOCK_MS = 400;

/** Waits for locks of one queue, of which the last is remembered. */
export const lockWaits = (): LockWaits => {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    ended: (from) => {
      const now = performance.now();
      if (now - from >= LEAST_LOCK_WAIT_MS) [fromMs, toMs] = [from, now];
    },
    late: (untilMs) => (untilMs >= fromMs && untilMs <= toMs + AFTER_LOCK_MS ? lockNotHad() : deadlineOver()),
  };
};

/** True once a deadline has passed. Throws nothing. */
export const isPast = (untilMs: number): boolean => untilMs <= performance.now();

/** True while a deadline leaves enough time to begin something together with others. Throws nothing. */
export const isWorthBeginning = (untilMs: number, nowMs = performance.now()): boolean => untilMs - nowMs > LEAST_MS;

/** Throws StorageError `DEADLINE`, or what `late` answers, once a deadline has passed. */
export const checkDeadline = (untilMs: number, late: (untilMs: number) => StorageError = deadlineOver): void => {
  if (untilMs !== Number.POSITIVE_INFINITY && isPast(untilMs)) throw late(untilMs);
};

/** Whole milliseconds that the database has; Infinity for no deadline. Throws StorageError `DEADLINE` where none is left. */
export const databaseMs = (untilMs: number): number => {
  const left = Math.floor(untilMs - performance.now() - MARGIN_MS);
  if (left < 1) throw deadlineOver();
  return left;
};
