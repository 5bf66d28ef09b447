/** Resolves after so many milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits for turns of the event loop. What this process does with itself, such as a transport with a stand-in, is as far after
 * them on a busy machine as on any other.
 */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await pause(1);
};

/**
 * Milliseconds until a promise settles, as this process has them: turns of its event loop of one millisecond or more. Where
 * the machine is busy a turn takes longer, and so does the answer, but there are no more of them.
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

/** A signal that ends after so many turns, as `AbortSignal.timeout` does. */
export const abortedAfter = (count: number): AbortSignal => {
  const controller = new AbortController();
  void turns(count).then(() => controller.abort(new DOMException('too late', 'TimeoutError')));
  return controller.signal;
};
