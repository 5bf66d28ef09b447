import { contained } from '../../foundation/contained.ts';

/** Permits for a number of concurrent calls; a call without one waits. */
export type Semaphore = {
  /** Resolves true with a permit, or false without one if the signal was aborted first. */
  acquire(signal: AbortSignal): Promise<boolean>;
  /** Returns a permit, which goes to the longest waiting call. */
  release(): void;
};

/** @param max permits, at least 1. Throws nothing. */
export const semaphore = (max: number): Semaphore => {
  let free = max;
  const waiting = new Set<() => void>();
  return {
    acquire: async (signal) => {
      if (signal.aborted) return false;
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise<boolean>((resolve) => {
        const cancel = contained(() => {
          waiting.delete(grant);
          resolve(false);
        });
        const grant = (): void => {
          waiting.delete(grant);
          signal.removeEventListener('abort', cancel);
          resolve(true);
        };
        waiting.add(grant);
        signal.addEventListener('abort', cancel, { once: true });
      });
    },
    release: () => {
      const [next] = waiting;
      if (next) next();
      else free += 1;
    },
  };
};
