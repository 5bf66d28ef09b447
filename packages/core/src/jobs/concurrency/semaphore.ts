import { contained } from '../../foundation/contained.ts';

/** Permits for a number of calls at once; whoever finds none waits for the next one. */
export type Semaphore = {
  /** Resolves true with a permit, or false when the signal was aborted first: then none is held. */
  acquire(signal: AbortSignal): Promise<boolean>;
  /** Gives a permit back; whoever waits longest gets it. */
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
        const leave = contained(() => {
          waiting.delete(enter);
          resolve(false);
        });
        const enter = (): void => {
          waiting.delete(enter);
          signal.removeEventListener('abort', leave);
          resolve(true);
        };
        waiting.add(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
    release: () => {
      const [next] = waiting;
      if (next) next();
      else free += 1;
    },
  };
};
