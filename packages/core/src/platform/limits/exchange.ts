// Shares buckets between processes. Each process takes from memory and syncs with the others through rows of the
// database, so calls do not wait for the database. Only a call beyond the unsynced allowance of a bucket waits for a
// sync. Together, processes exceed the limit at most by what they had not synced: two allowances per other process, one
// of which is being synced.

import { contained } from '../../foundation/contained.ts';
import type { Bucket } from './buckets.ts';
import { decide, type Rate } from './gcra.ts';

/** Milliseconds between two syncs. Chosen: much shorter than `Retry-After`, which is at least a second. */
export const SYNC_MS = 100;
/**
 * What a process may take from a bucket before it syncs, as a part of the burst. Chosen: at 1,000 a second, the calls
 * of SYNC_MS.
 */
const ALLOWANCE_RATIO = 0.02;
/** Buckets per sync. Chosen. */
const MOST_AT_ONCE = 1_000;
/** Maximum buckets waiting for a sync. Chosen: more than can be active; a further one is synced with its next call. */
const MOST_WAITING = 10_000;

/** What a process takes from a bucket without a sync. */
export const allowance = ({ burst }: Rate): number => Math.max(1, Math.floor(burst * ALLOWANCE_RATIO));

/** What a process took from a bucket (`unsynced`, negative for returned cost), and how much more it requests (`requested`). */
export type BucketDelta = Rate & { readonly key: string; readonly unsynced: number; readonly requested: number };
/** Microseconds until the bucket is full, and the granted part of `requested`. */
export type BucketState = { readonly key: string; readonly backlogUs: number; readonly granted: number };
/** Syncs several buckets, each once, and returns their states. */
export type SyncBuckets = (deltas: readonly BucketDelta[]) => Promise<readonly BucketState[]>;

type Named = Rate & { readonly key: string };
type Waiting = { readonly cost: number; readonly finalize: (waitUs: number) => void };
type Pending = { readonly named: Named; readonly bucket: Bucket; readonly waiting: Waiting[] };

export type Exchange = {
  /** Called after cost was taken or returned here. Throws nothing. */
  changed(named: Named, bucket: Bucket): void;
  /** Takes cost from the shared bucket; returns 0, or the microseconds until it would be available. Never rejects. */
  take(named: Named, bucket: Bucket, cost: number): Promise<number>;
  close(): void;
};

/** @param sync if it fails, each process continues with what it knows, and syncs with the next call */
export const exchange = ({ sync, nowUs }: { readonly sync: SyncBuckets; readonly nowUs: () => number }): Exchange => {
  let pending = new Map<string, Pending>();
  let isSyncing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let isUrgent = false;

  const finalizeLocally = ({ named, bucket, waiting }: Pending): void => {
    for (const { cost, finalize } of waiting) {
      const result = decide(bucket.tatUs, nowUs(), named, cost);
      if (!result.isAllowed) {
        finalize(result.waitUs);
        continue;
      }
      bucket.tatUs = result.tatUs;
      bucket.unsynced += cost;
      finalize(0);
    }
  };

  const finalize = ({ named, bucket, waiting }: Pending, { backlogUs, granted }: BucketState): void => {
    let free = granted;
    const full = named.burst * named.periodUs;
    for (const { cost, finalize: resolve } of waiting) {
      if (cost > free) {
        resolve(Math.max(backlogUs + cost * named.periodUs - full, named.periodUs));
        continue;
      }
      free -= cost;
      resolve(0);
    }
    // Cost granted for a call that requested more is returned.
    bucket.unsynced -= free;
    bucket.tatUs = nowUs() + backlogUs + bucket.unsynced * named.periodUs;
    if (bucket.unsynced !== 0) changed(named, bucket);
  };

  const syncBatch = async (): Promise<void> => {
    const batch = [...pending.values()].slice(0, MOST_AT_ONCE);
    for (const { named } of batch) pending.delete(named.key);
    const deltas = batch.map(({ named, bucket, waiting }): BucketDelta => {
      const { unsynced } = bucket;
      bucket.unsynced = 0;
      const { key, periodUs, burst } = named;
      return { key, periodUs, burst, unsynced, requested: waiting.reduce((sum, { cost }) => sum + cost, 0) };
    });
    const states = new Map<string, BucketState>();
    try {
      for (const state of await sync(deltas)) states.set(state.key, state);
    } catch {
      // Other calls report what is wrong with the database.
    }
    for (const [at, one] of batch.entries()) {
      const state = states.get(one.named.key);
      if (state !== undefined) {
        finalize(one, state);
        continue;
      }
      one.bucket.unsynced += deltas[at]?.unsynced ?? 0;
      finalizeLocally(one);
    }
  };

  const run = contained(async () => {
    timer = undefined;
    if (isSyncing || isClosed) return;
    isSyncing = true;
    isUrgent = false;
    try {
      await syncBatch();
    } finally {
      isSyncing = false;
      schedule();
    }
  });

  const schedule = (): void => {
    if (isClosed || isSyncing || pending.size === 0) return;
    if (isUrgent || pending.size >= MOST_AT_ONCE) {
      clearTimeout(timer);
      timer = setTimeout(run, 0);
      return;
    }
    timer ??= setTimeout(run, SYNC_MS).unref();
  };

  const pendingOf = (named: Named, bucket: Bucket): Pending => {
    const existing = pending.get(named.key);
    if (existing !== undefined) return existing;
    const made: Pending = { named, bucket, waiting: [] };
    pending.set(named.key, made);
    return made;
  };

  function changed(named: Named, bucket: Bucket): void {
    if (Math.abs(bucket.unsynced) * 2 < allowance(named) || pending.size >= MOST_WAITING || isClosed) return;
    pendingOf(named, bucket);
    schedule();
  }

  return {
    changed,
    take: (named, bucket, cost) =>
      new Promise((resolve) => {
        pendingOf(named, bucket).waiting.push({ cost, finalize: resolve });
        isUrgent = true;
        if (isClosed) {
          for (const one of pending.values()) finalizeLocally(one);
          pending = new Map();
        }
        schedule();
      }),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const one of pending.values()) finalizeLocally(one);
      pending = new Map();
    },
  };
};
