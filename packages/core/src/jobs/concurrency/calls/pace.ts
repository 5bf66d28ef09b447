// Throttles claiming when limiters are full. Claiming a row only to postpone it costs more than sending it. Still claims
// once a second, so that rows behind a full limiter are not starved.
// It buys gate G14.webhook: without it a delivery takes 37 % more CPU.

import { MAX_CLAIM } from '../../registration.ts';

/** How often it is asked whether others wait behind rows that do not fit, in milliseconds; ours: most bursts are over by then. */
const PATIENCE_MS = 1_000;
/** How long that waits for enough to end, in milliseconds; ours: whoever is slower keeps nobody waiting. */
const LULL_MS = 50;
/** Rows that are claimed together at least while that is so; ours: each claim is a transaction. */
const LEAST = 64;

export type Pace = {
  /** How many of so many rows may be claimed at this moment; 0: none before more have ended, or some time has passed. */
  room(most: number, nowMs: number): number;
  /** Rows were claimed, by `room` or without asking: of each who is called by it. */
  claimed(owners: readonly string[], nowMs: number): void;
  /** So many of what was claimed last do not fit; `isFlowing`: although those who are called take what they are given. */
  putOff(rows: number, isFlowing: boolean, nowMs: number): void;
  /** A row has ended. */
  ended(): void;
};

/**
 * Claims as many rows as there are, until some do not fit: then, while rows end one after the other, only as many as do, and
 * all of them again where somebody is behind them who was given nothing for a while. That begins anew once no more are left.
 * Throws nothing.
 *
 * @param isAnyoneBehind whether rows are due of others than these; where it throws there may be
 */
export const claimPace = (isAnyoneBehind: (given: ReadonlySet<string>) => Promise<boolean>): Pace => {
  let isPaced = false;
  let isMore = false;
  let asked = Number.POSITIVE_INFINITY;
  /** Since when it was not asked who is behind; null: all that is claimed fits, or has to be claimed. */
  let patientSinceMs: number | null = null;
  let isBehind = false;
  let last: readonly string[] = [];
  let given = new Set<string>();
  let claimedMs = 0;
  /** Rows that were claimed and have not ended, and how many more may be. */
  let held = 0;
  let free = 0;

  const look = async (): Promise<void> => {
    const asking = given;
    given = new Set();
    isBehind = await isAnyoneBehind(asking).catch(() => true);
    if (isBehind) patientSinceMs = null;
  };
  const begin = (nowMs: number): void => {
    patientSinceMs = nowMs;
    given = new Set(last);
    // Those who are called have more than they need for a while, and not all of them as much.
    free = -MAX_CLAIM;
  };

  return {
    room: (most, nowMs) => {
      if (patientSinceMs !== null && nowMs - patientSinceMs >= PATIENCE_MS) {
        patientSinceMs = nowMs;
        void look();
      }
      isPaced = patientSinceMs !== null && (free >= LEAST || nowMs - claimedMs < LULL_MS);
      asked = most;
      if (!isPaced) return most;
      if (free < LEAST) return 0;
      // Where most of what was in hand has ended those who are called were about to wait for more.
      asked = Math.min(held < free ? free * 2 : free, most);
      return asked;
    },
    claimed: (owners, nowMs) => {
      const rows = owners.length;
      isMore = rows >= Math.min(asked, MAX_CLAIM);
      if (!isMore) {
        patientSinceMs = null;
        isBehind = false;
      }
      last = owners;
      if (patientSinceMs !== null) for (const owner of owners) given.add(owner);
      claimedMs = nowMs;
      held += rows;
      // What a claim leaves of them is for the next one: else those who are called get less than they take.
      free = isPaced ? Math.max(free - rows, 0) : 0;
    },
    putOff: (rows, isFlowing, nowMs) => {
      held -= rows;
      if (isMore && isFlowing && patientSinceMs === null && !isBehind) begin(nowMs);
    },
    ended: () => {
      held -= 1;
      free += 1;
    },
  };
};
