// Natural batching: while one batch is being written the next one fills, so that a busy writer gets large batches and
// an idle one waits for nobody. There is no timer unless one is asked for.

import { lockWaits } from '../../database/in-time.ts';
import { contained } from '../../foundation/contained.ts';
import { deadlineMs, withoutDeadline } from '../../foundation/deadline.ts';
import { overloaded } from '../../foundation/errors.ts';
import { nextTurn } from '../../foundation/next-turn.ts';
import { type AloneLines, aloneLines } from './alone.ts';
import { type FairLines, fairLines } from './fair-lines.ts';
import type { Settled } from './in-budgets.ts';
import { inBudgets } from './in-budgets.ts';

export type Batcher<Item> = {
  /** @param key chooses the partition; integer, 0 or more */
  add(item: Item, key?: number): void;
  /** Resolves when nothing waits and nothing is being written. */
  settled(): Promise<void>;
};

type Partition<Item> = {
  readonly waiting: FairLines<Item>;
  /** Of owners whose items take longer than others should wait for. */
  readonly alone: AloneLines<Item>;
  isBusy: boolean;
  isAloneBusy: boolean;
  /** Ends its gathering; undefined: it does not gather at this moment. */
  gathered: (() => void) | undefined;
  beganMs: number;
  lastOwner: unknown;
  sharedMs: number;
};

/** For so long after items of two owners came a partition is theirs together, in milliseconds; ours. */
const SHARED_MS = 1_000;

/**
 * Items in the order of their partition, those together that came in one turn of the event loop or while the batch
 * before them was being written. Partitions are independent, so whatever must keep its order shares one.
 *
 * @param flush answers those that it left undone, since they take longer than others should wait for: their owners' items
 * are flushed alone (`isAlone`) from then on for some time, beside the others, where none is left undone. Throws nothing
 */
export const batcher = <Item>({
  partitions: count = 1,
  maxFlushRows = Number.POSITIVE_INFINITY,
  sharedFlushRows = maxFlushRows,
  gatherMs = 0,
  isComplete,
  isOneWith = () => false,
  ownerOf,
  flush,
}: {
  readonly partitions?: number;
  readonly maxFlushRows?: number;
  /** The same while items of more than one owner come: who has few waits for a flush of everybody's, and then for its own. */
  readonly sharedFlushRows?: number;
  /** The least time between the beginnings of two flushes of one partition. */
  readonly gatherMs?: number | undefined;
  /** Whether so many that wait in a partition are gathered for nobody else. */
  readonly isComplete?: ((waiting: number) => boolean) | undefined;
  /** Whether an item is of one flush with the one before it, as long as all that hang together fit into one. */
  readonly isOneWith?: ((before: Item, item: Item) => boolean) | undefined;
  /** Whose an item is: where more wait than fit into a flush, each owner has an equal share of it. Absent: one owner's. */
  readonly ownerOf?: ((item: Item) => unknown) | undefined;
  readonly flush: (items: readonly Item[], isAlone: boolean) => Promise<readonly Item[]> | Promise<void>;
}): Batcher<Item> => {
  const partitions = Array.from({ length: count }, (): Partition<Item> => {
    const never = Number.NEGATIVE_INFINITY;
    const waiting = fairLines({ longest: maxFlushRows, ownerOf, isOneWith });
    const alone = aloneLines<Item>({ longest: maxFlushRows, isOneWith });
    return {
      ...{ waiting, alone, isBusy: false, isAloneBusy: false, gathered: undefined },
      ...{ beganMs: never, lastOwner: undefined, sharedMs: never },
    };
  });
  let busy = 0;
  let onIdle: (() => void)[] = [];

  const isShared = ({ sharedMs }: Partition<Item>): boolean => performance.now() - sharedMs < SHARED_MS;

  /** Waits that long, or until all that can come is there. */
  const gather = async (partition: Partition<Item>, ms: number): Promise<void> => {
    if (ms <= 0 || isComplete?.(partition.waiting.size())) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      partition.gathered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    partition.gathered = undefined;
  };

  const ended = (): void => {
    busy -= 1;
    if (busy > 0) return;
    const idle = onIdle;
    onIdle = [];
    for (const resolve of idle) resolve();
  };

  // A flush is everybody's: the deadline of whoever was first is not its own.
  const begin = (partition: Partition<Item>, loop: (partition: Partition<Item>) => Promise<void>): void => {
    busy += 1;
    withoutDeadline(() => {
      setImmediate(contained(() => loop(partition)));
    });
  };

  const beginAlone = (partition: Partition<Item>): void => {
    if (partition.isAloneBusy || partition.alone.size() === 0) return;
    partition.isAloneBusy = true;
    begin(partition, workAlone);
  };

  /** What was left undone, and before anything else of these owners what waits behind it. */
  const putAlone = (partition: Partition<Item>, left: readonly Item[]): void => {
    for (const [owner, items] of Map.groupBy(left, (item) => ownerOf?.(item)))
      for (const item of [...items, ...partition.waiting.takeOf(owner)]) partition.alone.push(owner, item);
    beginAlone(partition);
  };

  const work = async (partition: Partition<Item>): Promise<void> => {
    while (partition.waiting.size() > 0) {
      if (gatherMs > 0) {
        await gather(partition, partition.beganMs + gatherMs - performance.now());
        partition.beganMs = performance.now();
      }
      const isOfMany = isShared(partition);
      const left = await flush(partition.waiting.take(isOfMany ? sharedFlushRows : maxFlushRows), false);
      if (left && left.length > 0) putAlone(partition, left);
      // A flush may end without a turn of the event loop: whoever came meanwhile is to be of the next one.
      if (isOfMany && partition.waiting.size() > 0) await nextTurn();
    }
    partition.isBusy = false;
    ended();
  };

  const workAlone = async (partition: Partition<Item>): Promise<void> => {
    while (partition.alone.size() > 0) {
      const { owner, items } = partition.alone.take();
      const began = performance.now();
      await flush(items, true);
      partition.alone.flushed(owner, performance.now() - began);
      await nextTurn();
    }
    partition.isAloneBusy = false;
    ended();
  };

  return {
    add: (item, key = 0) => {
      const partition = partitions[key % count];
      if (partition === undefined) throw new TypeError(`${key} chooses no partition`);
      if (ownerOf) {
        const owner = ownerOf(item);
        if (partition.alone.has(owner)) {
          partition.alone.push(owner, item);
          beginAlone(partition);
          return;
        }
        if (partition.lastOwner !== undefined && partition.lastOwner !== owner) partition.sharedMs = performance.now();
        partition.lastOwner = owner;
      }
      partition.waiting.push(item);
      if (partition.gathered && isComplete?.(partition.waiting.size())) partition.gathered();
      if (partition.isBusy) return;
      partition.isBusy = true;
      begin(partition, work);
    },
    settled: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
};

/**
 * Room above what may wait, as a part of it, for owners who have less waiting than is left of it. Ours: whoever comes beside
 * a flood finds some, and the next one too.
 */
const RESERVE = 1 / 4;

/**
 * A batcher whose callers hear what became of their own item, and which takes no more than it may hold. Whose deadline
 * passes while the item waits gets StorageError `DEADLINE`, and the item is not flushed.
 */
export type AnsweringBatcher<Item, Result> = {
  /** Resolves with what the item's flush made of it, or throws what that says. Throws OVERLOADED when too much waits. */
  submit(item: Item, bytes?: number, key?: number): Promise<Result>;
  /** True when any of so many more rows of one owner, of so many bytes together, would be refused. */
  isFull(moreRows: number, moreBytes: number, owner?: unknown): boolean;
  /** How much waits of what may wait, 0 to 1. */
  filled(): number;
  /** Refuses what comes and resolves when nothing waits any more. */
  close(): Promise<void>;
};

type Held = { rows: number; bytes: number };

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly held: Held | undefined;
  readonly bytes: number;
  readonly untilMs: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

export const answeringBatcher = <Item, Result>({
  partitions,
  maxFlushRows,
  sharedFlushRows,
  maxPendingRows = Number.POSITIVE_INFINITY,
  maxPendingBytes = Number.POSITIVE_INFINITY,
  isOneWith,
  ownerOf,
  flush,
}: {
  readonly partitions?: number;
  readonly maxFlushRows?: number;
  /** As of `batcher`. */
  readonly sharedFlushRows?: number;
  readonly maxPendingRows?: number;
  readonly maxPendingBytes?: number;
  /** As of `batcher`. */
  readonly isOneWith?: ((before: Item, item: Item) => boolean) | undefined;
  /** As of `batcher`; where one has all of what may wait, others have some more. */
  readonly ownerOf?: ((item: Item) => unknown) | undefined;
  /**
   * Answers for each item, in order; null, but where it `isAlone`: it was left undone, to be flushed without other owners'
   * items. What it throws is every item's answer.
   */
  readonly flush: (items: readonly Item[], isAlone: boolean) => Promise<readonly (Settled<Result> | null)[]>;
}): AnsweringBatcher<Item, Result> => {
  let rows = 0;
  let bytes = 0;
  let isClosed = false;
  const owners = new Map<unknown, Held>();
  const waits = lockWaits();

  const heldBy = (owner: unknown): Held => owners.get(owner) ?? { rows: 0, bytes: 0 };
  const fitsReserve = (held: Held, moreRows: number, moreBytes: number): boolean =>
    held.rows + moreRows <= maxPendingRows * (1 + RESERVE) - rows - moreRows &&
    held.bytes + moreBytes <= maxPendingBytes * (1 + RESERVE) - bytes - moreBytes;
  const isFull = (moreRows: number, moreBytes: number, owner?: unknown): boolean => {
    if (isClosed) return true;
    if (rows + moreRows <= maxPendingRows && bytes + moreBytes <= maxPendingBytes) return false;
    return ownerOf === undefined || !fitsReserve(heldBy(owner), moreRows, moreBytes);
  };
  const forget = (batch: readonly Waiting<Item, Result>[]): void => {
    rows -= batch.length;
    for (const one of batch) {
      bytes -= one.bytes;
      if (one.held === undefined) continue;
      one.held.rows -= 1;
      one.held.bytes -= one.bytes;
      if (one.held.rows === 0) owners.delete(ownerOf?.(one.item));
    }
  };

  const { add, settled } = batcher<Waiting<Item, Result>>({
    ...(partitions === undefined ? {} : { partitions }),
    ...(maxFlushRows === undefined ? {} : { maxFlushRows }),
    ...(sharedFlushRows === undefined ? {} : { sharedFlushRows }),
    ...(ownerOf ? { ownerOf: ({ item }) => ownerOf(item) } : {}),
    ...(isOneWith ? { isOneWith: (before, { item }) => isOneWith(before.item, item) } : {}),
    flush: async (batch, isAlone) => {
      const left = new Set<Waiting<Item, Result>>();
      try {
        await inBudgets(
          batch,
          (part) =>
            flush(
              part.map(({ item }) => item),
              isAlone,
            ),
          (one, result) => {
            if (result === null && !isAlone) left.add(one);
            else if (result?.ok) one.resolve(result.value);
            else one.reject(result?.error ?? new Error('a flush left an item out'));
          },
          waits,
        );
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      forget(left.size === 0 ? batch : batch.filter((one) => !left.has(one)));
      return [...left];
    },
  });

  return {
    submit: (item, itemBytes = 0, key = 0) => {
      const owner = ownerOf?.(item);
      if (isFull(1, itemBytes, owner)) return Promise.reject(overloaded(1));
      const held = ownerOf && heldBy(owner);
      if (held) {
        if (held.rows === 0) owners.set(owner, held);
        held.rows += 1;
        held.bytes += itemBytes;
      }
      rows += 1;
      bytes += itemBytes;
      return new Promise<Result>((resolve, reject) => {
        add({ item, held, bytes: itemBytes, untilMs: deadlineMs(), resolve, reject }, key);
      });
    },
    isFull,
    filled: () => Math.min(1, Math.max(rows / maxPendingRows, bytes / maxPendingBytes)),
    close: () => {
      isClosed = true;
      return settled();
    },
  };
};
