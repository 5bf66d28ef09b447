// What a timer, a wake-up, an event or an abandoned promise throws has no caller: it would end the process, and with it
// everything else that is under way. Every such callback of the product goes through here; scripts/architecture.ts finds
// any that does not.

/** Says on stderr, and to whoever listens to the process's `warning`, what nobody was there to catch. */
const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : new Error(`a callback threw a ${typeof error}`));
};

/**
 * The callback, made harmless: what it throws, or what its promise rejects with, is told and nothing else happens. The
 * answered function throws nothing and answers nothing.
 *
 * @param tell hears the error; by default a warning of the process
 */
export const contained = <Args extends readonly unknown[]>(
  work: (...args: Args) => unknown,
  tell: (error: unknown) => void = warn,
): ((...args: Args) => void) => {
  const told = (error: unknown): void => {
    try {
      tell(error);
    } catch (failure) {
      warn(failure);
    }
  };
  return (...args) => {
    try {
      const result = work(...args);
      if (result instanceof Promise) result.catch(told);
    } catch (error) {
      told(error);
    }
  };
};

/** Resolves once the event loop has looked at everything else that waits for it. Throws nothing. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
