import { semaphore } from '../../../core/src/jobs/concurrency/semaphore.ts';

/** Lets a few do something at once while the others wait in the order in which they came. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

const never = new AbortController().signal;

/** So many at once. Throws nothing of its own. */
export const atMost = (count: number): AtMost => {
  const permits = semaphore(count);
  return async (work) => {
    await permits.acquire(never);
    try {
      return await work();
    } finally {
      permits.release();
    }
  };
};
