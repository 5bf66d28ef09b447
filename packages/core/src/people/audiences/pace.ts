// How much one slice of work takes on, learned from how long slices take: on SQLite a statement holds the event loop, and
// people may have traits of 64 KB.

/** A slice that took longer makes the next ones half as long. Source: performance design 3.5. */
const MOST_MS = 25;
/** One that took less makes them twice as long; ours. */
const EASY_MS = 8;
const LEAST = 1 / 64;

export type Pace = {
  /** So many of what a slice would take on by its weight; one at least. Throws nothing. */
  of(size: number): number;
  /** Does what one slice does at a stretch, and learns from it. Throws what it throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** As a slice that took too long. Throws nothing. */
  slower(): void;
};

/**
 * @param most how much longer than by its weight a slice may become
 * @param elapsedMs milliseconds since any moment
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
