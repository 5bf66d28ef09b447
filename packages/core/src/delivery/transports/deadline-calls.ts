import { semaphore } from '../../jobs/concurrency/semaphore.ts';
import { withLimit } from './deadline.ts';
import type { SendOutcome } from './port.ts';

export type BoundedCalls = {
  /**
   * Runs `work` with a permit, within the total limit; waiting for the permit counts. `work` must end when its signal
   * is aborted. Without a permit in time, or once closed, nothing begins: `retry`, `processed: 'no'`.
   */
  run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<SendOutcome>): Promise<SendOutcome>;
  /** Refuses new calls and resolves when all calls under way have ended. */
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

/**
 * Limits that every transport keeps for itself: concurrent calls and milliseconds of one call; closing waits for calls
 * under way.
 */
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
