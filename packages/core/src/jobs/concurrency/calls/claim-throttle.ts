// Throttles claiming when limiters are full. Claiming a row only to defer it costs more than sending it. Yet claiming
// must go on while rows of other owners wait behind the deferred ones. It buys gate G14.webhook: without it a delivery takes
// 37 % more CPU.

import { MAX_CLAIM } from '../../registration.ts';

/**
 * Interval of the check whether other owners wait behind deferred rows, in milliseconds. Chosen: most bursts are over
 * by then.
 */
const CHECK_MS = 1_000;
/** How long to wait for enough rows to end, in milliseconds. Chosen: slower owners delay nobody. */
const IDLE_MS = 50;
/** Minimum rows per claim while throttled. Chosen: each claim is a transaction. */
const MIN_CLAIM = 64;

export type ClaimThrottle = {
  /** How many of at most `most` rows may be claimed now; 0: none until more have ended or some time has passed. */
  claimLimit(most: number, nowMs: number): number;
  /** Records claimed rows, within `claimLimit` or not: the owner of each. */
  claimed(owners: readonly string[], nowMs: number): void;
  /** Records that rows of the last claim did not fit; `isFlowing`: although their targets finish calls. */
  putOff(rows: number, isFlowing: boolean, nowMs: number): void;
  /** A row has ended. */
  ended(): void;
};

/**
 * Claims without a limit until some rows do not fit. Then, while rows keep ending, it claims only as many as ended, and
 * everything again if another owner has waited for a while. It starts over when no more rows are left. Throws nothing.
 *
 * @param hasOtherOwnersDue true if rows of other owners than these are due; an error counts as true
 */
export const claimThrottle = (
  hasOtherOwnersDue: (recentOwners: ReadonlySet<string>) => Promise<boolean>,
): ClaimThrottle => {
  let isThrottled = false;
  let isMore = false;
  let lastLimit = Number.POSITIVE_INFINITY;
  /** Time of the last check for other owners; null: all claimed rows fit, or must be claimed. */
  let throttledSinceMs: number | null = null;
  let areOthersDue = false;
  let lastOwners: readonly string[] = [];
  let recentOwners = new Set<string>();
  let claimedMs = 0;
  /** Rows in hand, and how many more may be claimed. */
  let held = 0;
  let free = 0;

  const checkOthers = async (): Promise<void> => {
    const owners = recentOwners;
    recentOwners = new Set();
    areOthersDue = await hasOtherOwnersDue(owners).catch(() => true);
    if (areOthersDue) throttledSinceMs = null;
  };
  const begin = (nowMs: number): void => {
    throttledSinceMs = nowMs;
    recentOwners = new Set(lastOwners);
    // The targets have more rows than they need for a while, unevenly distributed.
    free = -MAX_CLAIM;
  };

  return {
    claimLimit: (most, nowMs) => {
      if (throttledSinceMs !== null && nowMs - throttledSinceMs >= CHECK_MS) {
        throttledSinceMs = nowMs;
        void checkOthers();
      }
      isThrottled = throttledSinceMs !== null && (free >= MIN_CLAIM || nowMs - claimedMs < IDLE_MS);
      lastLimit = most;
      if (!isThrottled) return most;
      if (free < MIN_CLAIM) return 0;
      // If most rows in hand have ended, the targets were about to run out of work.
      lastLimit = Math.min(held < free ? free * 2 : free, most);
      return lastLimit;
    },
    claimed: (owners, nowMs) => {
      const rows = owners.length;
      isMore = rows >= Math.min(lastLimit, MAX_CLAIM);
      if (!isMore) {
        throttledSinceMs = null;
        areOthersDue = false;
      }
      lastOwners = owners;
      if (throttledSinceMs !== null) for (const owner of owners) recentOwners.add(owner);
      claimedMs = nowMs;
      held += rows;
      // The unused rest counts for the next claim; otherwise targets get less than they can process.
      free = isThrottled ? Math.max(free - rows, 0) : 0;
    },
    putOff: (rows, isFlowing, nowMs) => {
      held -= rows;
      if (isMore && isFlowing && throttledSinceMs === null && !areOthersDue) begin(nowMs);
    },
    ended: () => {
      held -= 1;
      free += 1;
    },
  };
};
