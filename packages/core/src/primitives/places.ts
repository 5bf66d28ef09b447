/** Room for a number of calls at once; who finds none waits in line. */
export type Places = {
  /** Resolves true with a place taken, or false when the signal was aborted first: then no place is held. */
  take(signal: AbortSignal): Promise<boolean>;
  /** Gives a place back; whoever waits longest gets it. */
  give(): void;
};

/** @param max places, at least 1. Throws nothing. */
export const places = (max: number): Places => {
  let free = max;
  const waiting = new Set<() => void>();
  return {
    take: async (signal) => {
      if (signal.aborted) return false;
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise<boolean>((resolve) => {
        const leave = (): void => {
          waiting.delete(enter);
          resolve(false);
        };
        const enter = (): void => {
          waiting.delete(enter);
          signal.removeEventListener('abort', leave);
          resolve(true);
        };
        waiting.add(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
    give: () => {
      const [next] = waiting;
      if (next) next();
      else free += 1;
    },
  };
};
