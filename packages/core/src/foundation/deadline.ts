// How long whoever asked waits for what is done on its behalf. Everything below reads it where it would wait.

import { AsyncLocalStorage } from 'node:async_hooks';

// Work that a call leaves running has no deadline once the call was answered.
type Deadline = { readonly untilMs: number; isOver: boolean };

const current = new AsyncLocalStorage<Deadline | undefined>();

/** When the time of what runs here ends, by `performance.now()`: no other clock's jumps move it. Infinity: never. */
export const deadlineMs = (): number => {
  const deadline = current.getStore();
  return deadline === undefined || deadline.isOver ? Number.POSITIVE_INFINITY : deadline.untilMs;
};

/** As `withDeadline`, for a moment by `performance.now()`; Infinity: the work has all the time there is. */
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
 * Gives `work` so many milliseconds of the database; within a shorter deadline that one holds. What then waits still, and
 * what would be committed later, throws StorageError, of which `timeoutOf` tells the kind, and nothing of it is written
 * afterwards. A commit that is under way is waited for.
 */
export const withDeadline = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  untilDeadline(Math.min(performance.now() + ms, deadlineMs()), work);

/** Runs what serves others too: nobody's deadline is its own. */
export const withoutDeadline = <T>(work: () => T): T => current.run(undefined, work);
