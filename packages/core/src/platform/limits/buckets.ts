// Where buckets stand, in memory. A bucket that is full says nothing, so it need not be there: what is kept is bounded by
// forgetting those first, however many addresses call.

/** A bucket: `unsynced` is what was taken from it here and not yet told to the other processes. */
export type Bucket = { tatUs: number; unsynced: number };

/** Of all that are kept, how many go at least when there is no more room; ours: a look at all of them is worth it. */
const SHARE_TO_GO = 0.1;

export type Buckets = {
  /** Throws nothing. */
  get(key: string): Bucket | undefined;
  /** The bucket of a key, full where there was none. Throws nothing. */
  at(key: string, nowUs: number): Bucket;
  readonly count: () => number;
};

/** @param max kept at once; where that is not enough, those that were made first are forgotten, and are full again */
export const buckets = (max: number): Buckets => {
  const kept = new Map<string, Bucket>();

  const makeRoom = (nowUs: number): void => {
    for (const [key, { tatUs }] of kept) if (tatUs <= nowUs) kept.delete(key);
    let over = kept.size - Math.floor(max * (1 - SHARE_TO_GO));
    for (const key of kept.keys()) {
      if (over <= 0) return;
      kept.delete(key);
      over -= 1;
    }
  };

  return {
    get: (key) => kept.get(key),
    at: (key, nowUs) => {
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (kept.size >= max) makeRoom(nowUs);
      const made = { tatUs: 0, unsynced: 0 };
      kept.set(key, made);
      return made;
    },
    count: () => kept.size,
  };
};
