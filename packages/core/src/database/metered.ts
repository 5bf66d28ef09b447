import type { Meter } from '../foundation/meter.ts';
import type { Storage } from './storage.ts';

/** Wraps a storage to measure its commits. */
export const metered = (storage: Storage, meter: Meter): Storage => ({
  ...storage,
  commit: async (plan) => {
    const start = performance.now();
    try {
      return await storage.commit(plan);
    } finally {
      meter.time('commit', (performance.now() - start) / 1_000, {});
    }
  },
});
