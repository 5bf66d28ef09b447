/** Waits for every one of them, whatever becomes of the others; then throws what the first that failed threw. */
export const allEnded = async (work: readonly Promise<unknown>[]): Promise<void> => {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};
