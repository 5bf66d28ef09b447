/**
 * A callback of the process that ends it in no case: what it throws is a warning. As core's of the same name, which would
 * bring the whole of core along where `--help` waits for nothing.
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
