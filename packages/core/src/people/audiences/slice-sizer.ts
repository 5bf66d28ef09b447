// Adapts the size of work slices to how long they take: on SQLite a statement blocks the event loop, and traits may
// have 64 KB.

/** A slice that takes longer halves the following ones. Source: performance design 3.5. */
const MAX_MS = 25;
/** A slice that takes less doubles the following ones. Chosen: a third of the maximum. */
const FAST_MS = 8;
const MIN_FACTOR = 1 / 64;

export type SliceSizer = {
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
export const sliceSizer = (most = 1, elapsedMs: () => number = () => performance.now()): SliceSizer => {
  let factor = 1;
  const slower = (): void => {
    factor = Math.max(MIN_FACTOR, factor / 2);
  };
  return {
    of: (size) => Math.max(1, Math.floor(size * factor)),
    run: async (work) => {
      const start = elapsedMs();
      const done = await work();
      const tookMs = elapsedMs() - start;
      if (tookMs > MAX_MS) slower();
      else if (tookMs < FAST_MS) factor = Math.min(most, factor * 2);
      return done;
    },
    slower,
  };
};
