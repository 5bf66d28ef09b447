import { type Tail, tailOf } from './statistics.ts';

/**
 * Calls a function at a fixed rate, independent of its duration, until it is stopped; then returns the p99 of the time
 * from when a call was due to its end, in milliseconds.
 */
export const atRate = (perSecond: number, one: () => Promise<unknown>): (() => Promise<Tail>) => {
  const waits: number[] = [];
  const open = new Set<Promise<void>>();
  const startMs = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    // All due calls at once: after a blocked event loop they arrive together, as over sockets.
    for (; made < ((performance.now() - startMs) / 1_000) * perSecond; made += 1) {
      const at = made;
      const dueMs = startMs + (at / perSecond) * 1_000;
      const waited = one().then(() => {
        waits[at] = performance.now() - dueMs;
        open.delete(waited);
      });
      open.add(waited);
    }
  }, 1);
  return async () => {
    clearInterval(timer);
    await Promise.all(open);
    return tailOf(waits, made / perSecond);
  };
};
