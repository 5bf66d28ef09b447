import type { Pool } from 'pg';
import { contained } from '../../foundation/contained.ts';

type Waited = Pick<Pool, 'waitingCount'> & { connect(): Promise<{ release(): void }> };

/**
 * How long a call currently waits for a connection, in milliseconds. The pool serves requests in order, so while others
 * wait, one more request measures the wait. While nobody waits, no connection is requested.
 */
export const poolWait = (pool: Waited): (() => number) => {
  let lastMs = 0;
  let beganMs: number | null = null;

  const probe = contained(async (began: number) => {
    try {
      (await pool.connect()).release();
      lastMs = performance.now() - began;
    } catch {
      // A failed connection is no wait.
      lastMs = 0;
    } finally {
      beganMs = null;
    }
  });

  return () => {
    if (beganMs !== null) return Math.max(lastMs, performance.now() - beganMs);
    if (pool.waitingCount === 0) lastMs = 0;
    else {
      beganMs = performance.now();
      probe(beganMs);
    }
    return lastMs;
  };
};
