/**
 * Wraps a callback so that an error becomes a process warning instead of ending the process. A copy of core's function:
 * importing core would slow down `--help`.
 */
export const contained =
  <Args extends readonly unknown[]>(work: (...args: Args) => unknown): ((...args: Args) => void) =>
  (...args) => {
    try {
      work(...args);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error(`a callback threw a ${typeof error}`));
    }
  };
