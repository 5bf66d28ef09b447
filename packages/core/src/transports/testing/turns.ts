/** Resolves after so many milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Milliseconds until a promise settles, as this process has them: turns of its event loop of one millisecond or more. Where
 * the machine is busy a turn takes longer, and so does the answer, but there are no more of them.
 */
export const turnsUntil = async (work: Promise<unknown>): Promise<number> => {
  let [turns, isOver] = [0, false];
  const end = (): void => {
    isOver = true;
  };
  void work.then(end, end);
  for (; !isOver; turns += 1) await pause(1);
  return turns;
};
