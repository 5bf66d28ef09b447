// Natural batching: while one batch is being written the next one fills, so that a busy writer gets large batches and
// an idle one waits for nobody. There is no timer unless one is asked for.

import { overloaded } from '../../errors.ts';
import { contained } from '../../primitives/contained.ts';

/** What became of each item of a flush, in its order. */
export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

export type Batcher<Item> = {
  /** @param key chooses the partition; integer, 0 or more */
  add(item: Item, key?: number): void;
  /** Resolves when nothing waits and nothing is being written. */
  settled(): Promise<void>;
};

type Partition<Item> = { waiting: Item[]; isBusy: boolean; beganMs: number };

/**
 * Items in the order of their partition, those together that came in one turn of the event loop or while the batch
 * before them was being written. Partitions are independent, so whatever must keep its order shares one.
 *
 * @param flush throws nothing
 */
export const batcher = <Item>({
  partitions: count = 1,
  maxFlushRows = Number.POSITIVE_INFINITY,
  gatherMs = 0,
  flush,
}: {
  readonly partitions?: number;
  readonly maxFlushRows?: number;
  /** The least time between the beginnings of two flushes of one partition. */
  readonly gatherMs?: number | undefined;
  readonly flush: (items: readonly Item[]) => Promise<void>;
}): Batcher<Item> => {
  const partitions = Array.from({ length: count }, (): Partition<Item> => {
    return { waiting: [], isBusy: false, beganMs: Number.NEGATIVE_INFINITY };
  });
  let busy = 0;
  let onIdle: (() => void)[] = [];

  const take = (partition: Partition<Item>): Item[] => {
    if (partition.waiting.length > maxFlushRows) return partition.waiting.splice(0, maxFlushRows);
    const all = partition.waiting;
    partition.waiting = [];
    return all;
  };

  const work = async (partition: Partition<Item>): Promise<void> => {
    while (partition.waiting.length > 0) {
      if (gatherMs > 0) {
        const restMs = partition.beganMs + gatherMs - performance.now();
        if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
        partition.beganMs = performance.now();
      }
      await flush(take(partition));
    }
    partition.isBusy = false;
    busy -= 1;
    if (busy > 0) return;
    const idle = onIdle;
    onIdle = [];
    for (const resolve of idle) resolve();
  };

  return {
    add: (item, key = 0) => {
      const partition = partitions[key % count];
      if (partition === undefined) throw new TypeError(`${key} chooses no partition`);
      partition.waiting.push(item);
      if (partition.isBusy) return;
      partition.isBusy = true;
      busy += 1;
      setImmediate(contained(() => work(partition)));
    },
    settled: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
};

/** A batcher whose callers hear what became of their own item, and which takes no more than it may hold. */
export type AnsweringBatcher<Item, Result> = {
  /** Resolves with what the item's flush made of it, or throws what that says. Throws OVERLOADED when too much waits. */
  submit(item: Item, bytes?: number, key?: number): Promise<Result>;
  /** True when any of so many more rows, of so many bytes together, would be refused. */
  isFull(moreRows: number, moreBytes: number): boolean;
  /** Refuses what comes and resolves when nothing waits any more. */
  close(): Promise<void>;
};

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

export const answeringBatcher = <Item, Result>({
  partitions,
  maxFlushRows,
  maxPendingRows = Number.POSITIVE_INFINITY,
  maxPendingBytes = Number.POSITIVE_INFINITY,
  flush,
}: {
  readonly partitions?: number;
  readonly maxFlushRows?: number;
  readonly maxPendingRows?: number;
  readonly maxPendingBytes?: number;
  /** Answers for each item, in order. What it throws is every item's answer. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Settled<Result>[]>;
}): AnsweringBatcher<Item, Result> => {
  let rows = 0;
  let bytes = 0;
  let isClosed = false;

  const { add, settled } = batcher<Waiting<Item, Result>>({
    ...(partitions === undefined ? {} : { partitions }),
    ...(maxFlushRows === undefined ? {} : { maxFlushRows }),
    flush: async (batch) => {
      try {
        const results = await flush(batch.map(({ item }) => item));
        batch.forEach((one, at) => {
          const result = results[at];
          if (result?.ok) one.resolve(result.value);
          else one.reject(result?.error ?? new Error('a flush left an item out'));
        });
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      rows -= batch.length;
      for (const one of batch) bytes -= one.bytes;
    },
  });

  return {
    submit: (item, itemBytes = 0, key = 0) => {
      if (isClosed || rows >= maxPendingRows || bytes + itemBytes > maxPendingBytes)
        return Promise.reject(overloaded(1));
      rows += 1;
      bytes += itemBytes;
      return new Promise<Result>((resolve, reject) => {
        add({ item, bytes: itemBytes, resolve, reject }, key);
      });
    },
    isFull: (moreRows, moreBytes) =>
      isClosed || rows + moreRows > maxPendingRows || bytes + moreBytes > maxPendingBytes,
    close: () => {
      isClosed = true;
      return settled();
    },
  };
};
