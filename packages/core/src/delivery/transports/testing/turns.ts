/** Resolves after a number of milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits for turns of the event loop. Counting turns makes tests within one process independent of the machine's load.
 */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await pause(1);
};

/**
 * Turns of the event loop, of one millisecond or more, until a promise settles. On a busy machine a turn takes longer,
 * and so does the answer, but the number of turns stays the same.
 */
export const turnsUntil = async (work: Promise<unknown>): Promise<number> => {
  let [count, isOver] = [0, false];
  const end = (): void => {
    isOver = true;
  };
  void work.then(end, end);
  for (; !isOver; count += 1) await pause(1);
  return count;
};

/** A signal that aborts after a number of turns, as `AbortSignal.timeout` does after a time. */
export const abortedAfter = (count: number): AbortSignal => {
  const controller = new AbortController();
  void turns(count).then(() => controller.abort(new DOMException('too late', 'TimeoutError')));
  return controller.signal;
};
