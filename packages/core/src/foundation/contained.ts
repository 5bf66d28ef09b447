// An error thrown by the callback of a timer, a signal, an event or an abandoned promise has no caller to catch it. It
// would end the process and all other work in it. Every such callback of the product is wrapped in `contained`;
// scripts/architecture.ts finds any that is not.

/** Emits a process warning, which Node also prints on stderr. */
const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : new Error(`a callback threw a ${typeof error}`));
};

/**
 * Wraps a callback so that an error that it throws, or that its promise rejects with, is reported and has no other
 * effect. The returned function throws nothing and returns nothing.
 *
 * @param report receives the error; by default it becomes a warning of the process
 */
export const contained = <Args extends readonly unknown[]>(
  work: (...args: Args) => unknown,
  report: (error: unknown) => void = warn,
): ((...args: Args) => void) => {
  const reportSafely = (error: unknown): void => {
    try {
      report(error);
    } catch (failure) {
      warn(failure);
    }
  };
  return (...args) => {
    try {
      const result = work(...args);
      if (result instanceof Promise) result.catch(reportSafely);
    } catch (error) {
      reportSafely(error);
    }
  };
};

/** Resolves after the event loop has handled its other pending work. Throws nothing. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
