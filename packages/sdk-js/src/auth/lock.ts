import type { Globals } from '../globals.ts';
import type { Slots } from '../slots.ts';

// One tab at a time refreshes. Without Web Locks, a lease in the storage that tabs share replaces them. Two tabs may then
// both hold it in rare cases; the service and the second look at the storage tolerate that.

/** Chosen: more than a refresh may take. Tabs wait this long after a tab was closed while it held the lease. */
const LEASE_MS = 15_000;
const MIN_WAIT_MS = 20;
const SLOT = 'lock';

export const makeLock = (g: Globals, name: string, slots: Slots) => {
  const wait = (ms: number): Promise<void> => new Promise((done) => void g.setTimeout(done, ms));
  const lease = async <T>(work: () => Promise<T>): Promise<T> => {
    const id = g.Math.random().toString(36);
    let found = '';
    let sinceMs = 0;
    for (;;) {
      const owner = slots.get(SLOT) ?? '';
      if (owner === id) break;
      // The page's monotonic clock: a lease survives a change of the device's clock.
      const uptimeMs = g.performance.now();
      if (owner !== found) [found, sinceMs] = [owner, uptimeMs];
      if (!owner || uptimeMs - sinceMs > LEASE_MS) slots.set(SLOT, id);
      // Of several tabs that write at once the last one wins, and each reads the winner after this time.
      await wait(MIN_WAIT_MS * (1 + g.Math.random()));
    }
    try {
      return await work();
    } finally {
      if (slots.get(SLOT) === id) slots.delete(SLOT);
    }
  };
  return {
    wait,
    locked: <T>(work: () => Promise<T>): Promise<T> =>
      // Safe: the type of `request` wraps the promise of `work` once more than it does.
      g.navigator?.locks ? (g.navigator.locks.request(name, work) as Promise<T>) : lease(work),
  };
};
