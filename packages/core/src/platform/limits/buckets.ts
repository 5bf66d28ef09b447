// Buckets in memory. A full bucket carries no information, so memory is bounded by evicting full buckets first, however
// many addresses call.

/** A bucket; `unsynced` is what was taken here and not yet written to the shared row. */
export type Bucket = { tatUs: number; unsynced: number };

/** Minimum share of buckets evicted at once. Chosen: it amortises the scan of all of them. */
const SHARE_TO_GO = 0.1;

export type Buckets = {
  /** Throws nothing. */
  get(key: string): Bucket | undefined;
  /** The bucket of a key; a new one is full. Throws nothing. */
  at(key: string, nowUs: number): Bucket;
  readonly count: () => number;
};

/** @param max maximum buckets; beyond it the oldest are evicted, and are full again */
export const buckets = (max: number): Buckets => {
  const entries = new Map<string, Bucket>();

  const evict = (nowUs: number): void => {
    for (const [key, { tatUs }] of entries) if (tatUs <= nowUs) entries.delete(key);
    let over = entries.size - Math.floor(max * (1 - SHARE_TO_GO));
    for (const key of entries.keys()) {
      if (over <= 0) return;
      entries.delete(key);
      over -= 1;
    }
  };

  return {
    get: (key) => entries.get(key),
    at: (key, nowUs) => {
      const existing = entries.get(key);
      if (existing !== undefined) return existing;
      if (entries.size >= max) evict(nowUs);
      const made = { tatUs: 0, unsynced: 0 };
      entries.set(key, made);
      return made;
    },
    count: () => entries.size,
  };
};
