// Limits concurrent analytics queries per organization over all processes, as the interface promises. No gate depends on it.

import { contained } from '../../../foundation/contained.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import type { SharedQuerySlots } from './store.ts';

/** Concurrent queries per organization. Source: interface, Limits. */
const MAX_CONCURRENT = 2;
/** How long a further query waits for a slot, in milliseconds. Source: contract, Analytics. */
const WAIT_MS = 2_000;
/** Waiting queries per organization. Chosen: as many as could get a slot in time. */
const MAX_WAITING = 50;
/** Polling interval for a slot that another process holds, in milliseconds. Chosen. */
const POLL_MS = 100;

/** Runs `work` when the organization has a free slot. */
export type QuerySlots = <T>(orgId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Query slots per organization. A query beyond them waits: first for the queries of this process, in their order, then
 * for those of other processes.
 *
 * @param shared slots in the database; null if there is one process
 * @throws RATE_LIMITED if no slot becomes free in time, and what `work` and the database throw
 */
export const querySlots = (shared: SharedQuerySlots | null = null): QuerySlots => {
  const orgs = new Map<string, { running: number; waiting: (() => void)[] }>();
  const refuse = (): BeckonError =>
    new BeckonError('RATE_LIMITED', `Too many analytics queries at once: ${MAX_CONCURRENT} per organization. Retry.`, {
      details: { retryAfterSeconds: Math.ceil(WAIT_MS / 1_000), limit: MAX_CONCURRENT, reason: 'analytics' },
    });
  const withShared = async <T>(orgId: string, isLate: () => boolean, work: () => Promise<T>): Promise<T> => {
    if (shared === null) return work();
    let release = await shared.take(orgId, MAX_CONCURRENT);
    while (release === null) {
      if (isLate()) throw refuse();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      release = await shared.take(orgId, MAX_CONCURRENT);
    }
    try {
      return await work();
    } finally {
      // The slot also expires by itself.
      await release().catch(() => undefined);
    }
  };

  return async (orgId, work) => {
    const org = orgs.get(orgId) ?? { running: 0, waiting: [] };
    orgs.set(orgId, org);
    const lateMs = performance.now() + WAIT_MS;
    if (org.running >= MAX_CONCURRENT) {
      if (org.waiting.length >= MAX_WAITING) throw refuse();
      // A finished query passes its slot on directly, so no later query can take it first.
      await new Promise<void>((resolve, reject) => {
        const begin = (): void => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(
          contained(() => {
            org.waiting.splice(org.waiting.indexOf(begin), 1);
            reject(refuse());
          }),
          WAIT_MS,
        );
        org.waiting.push(begin);
      });
    } else org.running += 1;
    try {
      return await withShared(orgId, () => performance.now() >= lateMs, work);
    } finally {
      const next = org.waiting.shift();
      if (next) next();
      else org.running -= 1;
      if (org.running === 0) orgs.delete(orgId);
    }
  };
};
