// Adapts the size of work slices to how long they take: on SQLite a statement blocks the event loop, and traits may
// have 64 KB.

/** A slice that takes longer halves the following ones. Source: performance design 3.5. */
const MOST_MS = 25;
/** A slice that takes less doubles the following ones. Chosen: a third of the maximum. */
const EASY_MS = 8;
const LEAST = 1 / 64;

export type Pace = {
  /** Adapted size of a slice, at least 1. Throws nothing. */
  of(size: number): number;
  /** Runs one slice and adapts to its duration. Rethrows its errors. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Reduces the size as after a slow slice. Throws nothing. */
  slower(): void;
};

/**
 * @param most maximum growth beyond the size by weight
 * @param elapsedMs milliseconds since any fixed time
 */
export const slicePace = (most = 1, elapsedMs: () => number = () => performance.now()): Pace => {
  let pace = 1;
  const slower = (): void => {
    pace = Math.max(LEAST, pace / 2);
  };
  return {
    of: (size) => Math.max(1, Math.floor(size * pace)),
    run: async (work) => {
      const start = elapsedMs();
      const done = await work();
      const tookMs = elapsedMs() - start;
      if (tookMs > MOST_MS) slower();
      else if (tookMs < EASY_MS) pace = Math.min(most, pace * 2);
      return done;
    },
    slower,
  };
};
