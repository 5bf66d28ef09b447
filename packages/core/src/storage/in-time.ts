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

/** True once a deadline has passed. Throws nothing. */
export const isPast = (untilMs: number): boolean => untilMs <= performance.now();

/** True for whoever can be begun with others still. Throws nothing. */
export const isWorthBeginning = (untilMs: number): boolean => untilMs - performance.now() > LEAST_MS;

/** Throws StorageError `DEADLINE` once a deadline has passed. */
export const checkDeadline = (untilMs: number): void => {
  if (untilMs !== Number.POSITIVE_INFINITY && isPast(untilMs)) throw deadlineOver();
};

/** Whole milliseconds that the database has; Infinity for no deadline. Throws StorageError `DEADLINE` where none is left. */
export const databaseMs = (untilMs: number): number => {
  const left = Math.floor(untilMs - performance.now() - MARGIN_MS);
  if (left < 1) throw deadlineOver();
  return left;
};
