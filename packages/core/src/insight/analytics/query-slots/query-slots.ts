// Limits concurrent analytics queries per organization over all processes, as the interface promises. No gate depends on it.

import { contained } from '../../../foundation/contained.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import type { SharedQuerySlots } from './store.ts';

/** Questions of one org that are answered at once. Source: interface, Limits. */
const MAX_CONCURRENT = 2;
/** How long another one waits for its turn, in milliseconds. Source: contract, Analytics. */
const WAIT_MS = 2_000;
/** Questions of one org that wait; ours: as many as could have their turn in time. */
const MAX_WAITING = 50;
/** How often a turn of other processes is asked for again; ours. */
const POLL_MS = 100;

/** Does `work` when the org has a turn. */
export type QuerySlots = <T>(orgId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Turns of orgs. What is asked beyond them waits its turn: within this process first come first served, then for those of
 * the other processes where there may be any.
 *
 * @param shared what processes share; null: there is one process
 * @throws RATE_LIMITED where a turn does not come in time, and what `work` and the database throw
 */
export const querySlots = (shared: SharedQuerySlots | null = null): QuerySlots => {
  const orgs = new Map<string, { running: number; waiting: (() => void)[] }>();
  const refuse = (): BeckonError =>
    new BeckonError('RATE_LIMITED', `Too many analytics queries at once: ${MAX_CONCURRENT} per organization. Retry.`, {
      details: { retryAfterSeconds: Math.ceil(WAIT_MS / 1_000), reason: 'analytics' },
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
      // It is free again by time.
      await release().catch(() => undefined);
    }
  };

  return async (orgId, work) => {
    const org = orgs.get(orgId) ?? { running: 0, waiting: [] };
    orgs.set(orgId, org);
    const lateMs = performance.now() + WAIT_MS;
    if (org.running >= MAX_CONCURRENT) {
      if (org.waiting.length >= MAX_WAITING) throw refuse();
      // Whoever ends hands its turn over, so that nobody can come between.
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
