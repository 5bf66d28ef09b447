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
  /** The call's answer, or `retry` (`timeout`, processed unknown) once the time is up, whatever the call does then. */
  within(call: Promise<SendOutcome>): Promise<SendOutcome>;
  /** Ends the timer. */
  dispose(): void;
};

/** @param outer ends the calls too, such as a worker that stops. Throws nothing. */
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
  // One for each call: a race of promises would leave something behind at the limit for each, until all have ended.
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
