import { contained } from '../../foundation/contained.ts';

const timeoutReason = (): DOMException => new DOMException('No answer within the time of a call.', 'TimeoutError');

/** True when a signal ended because time ran out. `code` of such a reason is a number: the name is what counts. */
export const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

/**
 * Runs a call to the outside and leaves it as soon as `signal` is aborted, even where the client underneath does not
 * act on an abort: undici waits on for DNS, TCP and TLS. Reading the answer belongs inside `start`.
 *
 * @returns what `start` resolves with. Rejects with what it rejects with, or with the signal's reason.
 */
export const withDeadline = async <T>(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const work = start(signal);
  // The one that loses the race may reject later, when nobody looks any more.
  work.catch(() => undefined);
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = contained(() => reject(signal.reason));
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

/**
 * Gives `start` a signal that is aborted with `signal`, or with a TimeoutError `limitMs` milliseconds from now. Nothing
 * stays behind when `start` has ended: no timer, no listener.
 *
 * @returns what `start` resolves with; it is `start` that has to end on an abort
 */
export const withLimit = async <T>(
  signal: AbortSignal,
  limitMs: number,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const stop = contained(() => controller.abort(signal.reason));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(
    contained(() => controller.abort(timeoutReason())),
    limitMs,
  );
  try {
    return await start(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
};
