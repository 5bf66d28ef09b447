// How fast a queue claims whose rows do not all fit into the limiters of those who are called. To claim a row only to put it
// off again costs more than to send it, and yet it must be done where many stand before the rows of others.

import { MAX_CLAIM } from '../../registration.ts';

/** Milliseconds for which rows that do not fit are left where they are; ours: most bursts are over by then. */
const PATIENCE_MS = 1_000;
/** How long that waits for enough to end, in milliseconds; ours: whoever is slower keeps nobody waiting. */
const LULL_MS = 50;
/** Rows that are claimed together at least while that is so; ours: each claim is a transaction. */
const LEAST = 64;

export type Pace = {
  /** How many rows may be claimed at this moment; 0: none before more have ended, or some time has passed. */
  room(nowMs: number): number;
  /** Rows were claimed, by `room` or without asking. */
  claimed(rows: number, nowMs: number): void;
  /** Some of what was claimed last does not fit, although those who are called take what they are given. */
  crowded(nowMs: number): void;
  /** A row has ended. */
  ended(): void;
};

/**
 * Claims as many rows as there are, until some do not fit: then for a moment, while rows end one after the other, only as
 * many as do, and after that all of them again, since whoever is behind them has waited long enough. That begins anew once no
 * more are left. Throws nothing.
 */
export const claimPace = (): Pace => {
  let asked = Number.POSITIVE_INFINITY;
  let isMore = false;
  let crowdedSinceMs: number | null = null;
  let claimedMs = 0;
  let free = 0;
  return {
    room: (nowMs) => {
      asked = Number.POSITIVE_INFINITY;
      if (crowdedSinceMs === null || nowMs - crowdedSinceMs >= PATIENCE_MS) return asked;
      if (free < LEAST) return nowMs - claimedMs >= LULL_MS ? asked : 0;
      asked = free;
      return asked;
    },
    claimed: (rows, nowMs) => {
      isMore = rows >= Math.min(asked, MAX_CLAIM);
      if (!isMore) crowdedSinceMs = null;
      claimedMs = nowMs;
      free = 0;
    },
    crowded: (nowMs) => {
      if (isMore) crowdedSinceMs ??= nowMs;
    },
    ended: () => {
      free += 1;
    },
  };
};
