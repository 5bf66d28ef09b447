import { contained } from '../../foundation/contained.ts';

const timeoutReason = (): DOMException => new DOMException('No answer within the time of a call.', 'TimeoutError');

/** True if a signal was aborted by a time limit. Checks `name`, because `code` of such a reason is a number. */
export const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

/**
 * Runs an outside call and abandons it as soon as `signal` is aborted, even if the client ignores an abort: undici
 * keeps waiting for DNS, TCP and TLS. Reading the answer belongs inside `start`.
 *
 * @returns what `start` resolves with. Rejects with what it rejects with, or with the signal's reason.
 */
export const withDeadline = async <T>(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const work = start(signal);
  // The loser of the race may reject later, when nothing handles it.
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
 * Passes `start` a signal that is aborted with `signal`, or with a TimeoutError after `limitMs` milliseconds. Leaves no
 * timer and no listener behind when `start` has ended.
 *
 * @returns what `start` resolves with; `start` itself must end on an abort
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
