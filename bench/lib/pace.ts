import { type Tail, tailOf } from './statistics.ts';

/**
 * Does something at a fixed rate, whoever waits for it, until it is told to stop; answers then the p99 of how long each
 * took from when it was due, in milliseconds.
 */
export const atRate = (perSecond: number, one: () => Promise<unknown>): (() => Promise<Tail>) => {
  const waits: number[] = [];
  const open = new Set<Promise<void>>();
  const startMs = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    // As many as are due: what the loop was held for comes at once, as it would over sockets.
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
