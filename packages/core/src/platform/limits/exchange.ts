// How processes share their buckets. Each takes from its own memory and tells the others through rows of the database, so
// that no call waits for one; only who took a share of a bucket that it has not told of waits until it has. So what all of
// them let pass together is over the limit by at most what they had not told: two allowances of each other process, one of
// which is being told.

import { contained } from '../../foundation/contained.ts';
import type { Bucket } from './buckets.ts';
import { type Rate, taken } from './gcra.ts';

/** Milliseconds between two tellings; ours: short against the second in which a client is told to come back. */
export const EVERY_MS = 100;
/** What a process may take of a bucket before it tells, as a part of the burst; ours: at 1,000 a second, that of EVERY_MS. */
const PART = 0.02;
/** Buckets told of at once; ours. */
const MOST_AT_ONCE = 1_000;
/** Buckets of which is to be told; ours: more than can be in hand, and what is over it is told with its next call. */
const MOST_WAITING = 10_000;

/** How much of a bucket a process takes without asking. */
export const allowance = ({ burst }: Rate): number => Math.max(1, Math.floor(burst * PART));

/** What a process says of a bucket: what it took, negative for what it gave back, and how much more it wants. */
export type Telling = Rate & { readonly key: string; readonly unsynced: number; readonly requested: number };
/** In how many microseconds the bucket would be full, and how many of `requested` were taken. */
export type Standing = { readonly key: string; readonly backlogUs: number; readonly granted: number };
/** Tells of several buckets, each once, and answers how they stand. */
export type Swap = (tellings: readonly Telling[]) => Promise<readonly Standing[]>;

type Named = Rate & { readonly key: string };
type Asking = { readonly cost: number; readonly settle: (waitUs: number) => void };
type Pending = { readonly named: Named; readonly bucket: Bucket; readonly asking: Asking[] };

export type Exchange = {
  /** What was taken here, or given back, has changed. Throws nothing. */
  changed(named: Named, bucket: Bucket): void;
  /** Takes so much of what all processes share; answers 0, or in how many microseconds it would be there. Never rejects. */
  take(named: Named, bucket: Bucket, cost: number): Promise<number>;
  close(): void;
};

/** @param swap where it fails, each process goes by what it knows: it is asked again with the next call */
export const exchange = ({ swap, nowUs }: { readonly swap: Swap; readonly nowUs: () => number }): Exchange => {
  let pending = new Map<string, Pending>();
  let isTelling = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let isUrgent = false;

  const settleAlone = ({ named, bucket, asking }: Pending): void => {
    for (const { cost, settle } of asking) {
      const result = taken(bucket.tatUs, nowUs(), named, cost);
      if (!result.isAllowed) {
        settle(result.waitUs);
        continue;
      }
      bucket.tatUs = result.tatUs;
      bucket.unsynced += cost;
      settle(0);
    }
  };

  const settle = ({ named, bucket, asking }: Pending, { backlogUs, granted }: Standing): void => {
    let free = granted;
    const full = named.burst * named.periodUs;
    for (const { cost, settle: told } of asking) {
      if (cost > free) {
        told(Math.max(backlogUs + cost * named.periodUs - full, named.periodUs));
        continue;
      }
      free -= cost;
      told(0);
    }
    // What was taken for a call that wanted more than that is given back.
    bucket.unsynced -= free;
    bucket.tatUs = nowUs() + backlogUs + bucket.unsynced * named.periodUs;
    if (bucket.unsynced !== 0) changed(named, bucket);
  };

  const tell = async (): Promise<void> => {
    const batch = [...pending.values()].slice(0, MOST_AT_ONCE);
    for (const { named } of batch) pending.delete(named.key);
    const tellings = batch.map(({ named, bucket, asking }): Telling => {
      const { unsynced } = bucket;
      bucket.unsynced = 0;
      const { key, periodUs, burst } = named;
      return { key, periodUs, burst, unsynced, requested: asking.reduce((sum, { cost }) => sum + cost, 0) };
    });
    const standings = new Map<string, Standing>();
    try {
      for (const standing of await swap(tellings)) standings.set(standing.key, standing);
    } catch {
      // Whoever needs the database for more than this says what is wrong with it.
    }
    for (const [at, one] of batch.entries()) {
      const standing = standings.get(one.named.key);
      if (standing !== undefined) {
        settle(one, standing);
        continue;
      }
      one.bucket.unsynced += tellings[at]?.unsynced ?? 0;
      settleAlone(one);
    }
  };

  const run = contained(async () => {
    timer = undefined;
    if (isTelling || isClosed) return;
    isTelling = true;
    isUrgent = false;
    try {
      await tell();
    } finally {
      isTelling = false;
      schedule();
    }
  });

  const schedule = (): void => {
    if (isClosed || isTelling || pending.size === 0) return;
    if (isUrgent || pending.size >= MOST_AT_ONCE) {
      clearTimeout(timer);
      timer = setTimeout(run, 0);
      return;
    }
    timer ??= setTimeout(run, EVERY_MS).unref();
  };

  const pend = (named: Named, bucket: Bucket): Pending => {
    const known = pending.get(named.key);
    if (known !== undefined) return known;
    const made: Pending = { named, bucket, asking: [] };
    pending.set(named.key, made);
    return made;
  };

  function changed(named: Named, bucket: Bucket): void {
    if (Math.abs(bucket.unsynced) * 2 < allowance(named) || pending.size >= MOST_WAITING || isClosed) return;
    pend(named, bucket);
    schedule();
  }

  return {
    changed,
    take: (named, bucket, cost) =>
      new Promise((resolve) => {
        pend(named, bucket).asking.push({ cost, settle: resolve });
        isUrgent = true;
        if (isClosed) {
          for (const one of pending.values()) settleAlone(one);
          pending = new Map();
        }
        schedule();
      }),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const one of pending.values()) settleAlone(one);
      pending = new Map();
    },
  };
};
