// How long a caller waits for the work done on its behalf. Code that would wait reads the deadline first. Work that a
// call leaves running has no deadline after the call has returned.

import { AsyncLocalStorage } from 'node:async_hooks';

// Work that a call leaves running has no deadline once the call was answered.
type Deadline = { readonly untilMs: number; isOver: boolean };

const current = new AsyncLocalStorage<Deadline | undefined>();

/** The deadline of the current work by `performance.now()`, which no clock change moves. Infinity if there is none. */
export const deadlineMs = (): number => {
  const deadline = current.getStore();
  return deadline === undefined || deadline.isOver ? Number.POSITIVE_INFINITY : deadline.untilMs;
};

/** As `withDeadline`, with a time of `performance.now()`. Infinity removes the deadline. */
export const untilDeadline = async <T>(untilMs: number, work: () => Promise<T>): Promise<T> => {
  if (untilMs === Number.POSITIVE_INFINITY) return current.run(undefined, work);
  const deadline = { untilMs, isOver: false };
  try {
    return await current.run(deadline, work);
  } finally {
    deadline.isOver = true;
  }
};

/**
 * Runs `work` with a deadline in `ms` milliseconds; a shorter deadline around it stays in force. After the deadline,
 * waiting for the database and committing throw StorageError (`timeoutOf` returns its kind), and nothing is written. A
 * commit that has begun is waited for.
 */
export const withDeadline = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  untilDeadline(Math.min(performance.now() + ms, deadlineMs()), work);

/** Runs work that also serves other callers, without the deadline of the current one. */
export const withoutDeadline = <T>(work: () => T): T => current.run(undefined, work);
