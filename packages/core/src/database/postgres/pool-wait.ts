import type { Pool } from 'pg';
import { contained } from '../../foundation/contained.ts';

type Waited = Pick<Pool, 'waitingCount'> & { connect(): Promise<{ release(): void }> };

/**
 * How long a call waits for a connection at this moment, in milliseconds. Connections are given in the order in which they
 * were asked for, so where somebody waits one more who does tells; nothing is asked for while nobody waits.
 */
export const poolWait = (pool: Waited): (() => number) => {
  let lastMs = 0;
  let beganMs: number | null = null;

  const probe = contained(async (began: number) => {
    try {
      (await pool.connect()).release();
      lastMs = performance.now() - began;
    } catch {
      // Who cannot be connected at all does not wait.
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
