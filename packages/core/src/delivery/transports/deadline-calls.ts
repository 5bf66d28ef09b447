import { semaphore } from '../../jobs/concurrency/semaphore.ts';
import { withLimit } from './deadline.ts';
import type { SendOutcome } from './port.ts';

export type BoundedCalls = {
  /**
   * Runs `work` in a place, within the total limit; waiting for the place counts. `work` has to end when its signal is
   * aborted. Without a place in time, or once closed, nothing is begun: `retry`, `processed: 'no'`.
   */
  run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<SendOutcome>): Promise<SendOutcome>;
  /** Refuses what comes from now on and resolves when all that is under way has ended. */
  drain(): Promise<void>;
};

const closed: SendOutcome = {
  result: 'retry',
  code: 'closed',
  message: 'The transport is closing.',
  processed: 'no',
};
const unplaced: SendOutcome = {
  result: 'retry',
  code: 'timeout',
  message: 'No place became free within the time of a call.',
  processed: 'no',
};

/** What every transport holds for itself: calls at once, the time of one call in milliseconds, and an orderly end. */
export const boundedCalls = (limits: { readonly maxInFlight: number; readonly limitMs: number }): BoundedCalls => {
  const permits = semaphore(limits.maxInFlight);
  const underWay = new Set<Promise<SendOutcome>>();
  let isClosed = false;

  const withPermit = (signal: AbortSignal, work: (signal: AbortSignal) => Promise<SendOutcome>): Promise<SendOutcome> =>
    withLimit(signal, limits.limitMs, async (limited) => {
      if (!(await permits.acquire(limited))) return unplaced;
      try {
        return await work(limited);
      } finally {
        permits.release();
      }
    });

  return {
    run: (signal, work) => {
      if (isClosed) return Promise.resolve(closed);
      const call = withPermit(signal, work);
      underWay.add(call);
      return call.finally(() => underWay.delete(call));
    },
    drain: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
};
