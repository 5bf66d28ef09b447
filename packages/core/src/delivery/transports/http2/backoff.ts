import { contained } from '../../../foundation/contained.ts';

/**
 * First pause after a failure in milliseconds, doubled per failure up to the last; ± a fifth. Source: transports, 4.
 */
const FIRST_MS = 1_000;
const LAST_MS = 30_000;
const JITTER = 0.2;

/** A pause without attempts that grows with each failure. */
export type Backoff = {
  /** Remaining milliseconds of the pause, at most; 0 without one. */
  pausedMs(): number;
  failed(): void;
  succeeded(): void;
  /** Ends the pause and its timer. */
  clear(): void;
};

/** @param random a number from 0 (inclusive) to 1 */
export const backoff = (random: () => number): Backoff => {
  let failures = 0;
  let pause = 0;
  // A timer instead of a deadline: a clock change during the pause could make it endless.
  let timer: NodeJS.Timeout | undefined;
  const clear = contained(() => {
    clearTimeout(timer);
    pause = 0;
  });
  return {
    pausedMs: () => pause,
    failed: () => {
      clear();
      const wait = Math.min(FIRST_MS * 2 ** failures, LAST_MS);
      failures += 1;
      pause = Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
      timer = setTimeout(clear, pause).unref();
    },
    succeeded: () => {
      failures = 0;
      clear();
    },
    clear,
  };
};
