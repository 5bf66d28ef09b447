import { setMaxListeners } from 'node:events';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { contained } from '../../../foundation/contained.ts';

const TIMED_OUT: SendOutcome = {
  result: 'retry',
  code: 'timeout',
  message: 'No answer within the time of a call.',
  processed: 'unknown',
};

/** One wall-clock limit for calls that begin together. */
export type Limit = {
  readonly signal: AbortSignal;
  /** The call's answer, or `retry` (`timeout`, processed unknown) at the limit, even if the call continues. */
  within(call: Promise<SendOutcome>): Promise<SendOutcome>;
  /** Clears the timer. */
  dispose(): void;
};

/** @param outer also ends the calls, for example when a worker stops. Throws nothing. */
export const callLimit = (outer: AbortSignal, limitMs: number): Limit => {
  const controller = new AbortController();
  const { signal } = controller;
  // One listener per call of a batch, not a leak.
  setMaxListeners(0, signal);
  const stop = contained(() => controller.abort(outer.reason));
  const timer = setTimeout(
    contained(() => controller.abort(new DOMException('The call took too long.', 'TimeoutError'))),
    limitMs,
  );
  // One callback per call. `Promise.race` would leave a reaction on the limit's promise for each call until all have
  // ended.
  const waiting = new Set<(outcome: SendOutcome) => void>();
  signal.addEventListener(
    'abort',
    contained(() => {
      for (const end of waiting) end(TIMED_OUT);
    }),
    { once: true },
  );
  if (outer.aborted) stop();
  else outer.addEventListener('abort', stop, { once: true });
  return {
    signal,
    within: (call) =>
      new Promise((resolve, reject) => {
        const end = (outcome: SendOutcome): void => {
          waiting.delete(end);
          resolve(outcome);
        };
        if (signal.aborted) resolve(TIMED_OUT);
        else waiting.add(end);
        call.then(end, (error) => {
          waiting.delete(end);
          reject(error);
        });
      }),
    dispose: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    },
  };
};
