import { semaphore } from '../../../core/src/jobs/concurrency/semaphore.ts';

/** Limits concurrency; others wait in order. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

const never = new AbortController().signal;

/** A limiter with this concurrency. Throws only the errors of the work. */
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
