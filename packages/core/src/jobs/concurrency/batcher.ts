// Natural batching: while one batch is written, the next one fills. A busy writer gets large batches, an idle one no delay.
//
//   submit, add --> partition --(next turn of the event loop)--> flush --> flush --> ... until the partition is empty
//                     ^ items that arrive during a flush wait for the next one
//
// Partitions flush independently of each other; items that must keep their order share one.
// A flush runs within the first deadline among its items:
//
//   no time left when the flush begins    the item fails with DEADLINE and is not flushed
//   the flush timed out, time left        the item is flushed again, without those whose time is over
//   the flush answered null               the owner's items are flushed alone for some time (alone.ts)

import { hasTimeToStart, type LockWaits, lockWaits } from '../../database/deadlines.ts';
import { timeoutOf } from '../../database/errors.ts';
import { contained, nextTurn } from '../../foundation/contained.ts';
import { deadlineMs, untilDeadline, withoutDeadline } from '../../foundation/deadline.ts';
import { overloaded } from '../../foundation/errors.ts';
import { type AloneQueues, aloneQueues } from './alone.ts';
import { type FairQueues, fairQueues } from './fair-queues.ts';

/** The result of one item of a flush. */
export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

export type BatcherOptions<Item, Result> = {
  readonly partitions?: number | undefined;
  /** Items of one flush, at most. */
  readonly maxFlushRows?: number | undefined;
  /** The same while several owners are active: smaller flushes keep the latency of small owners low. */
  readonly sharedFlushRows?: number | undefined;
  /** Least time between the starts of two flushes of a partition. */
  readonly gatherMs?: number | undefined;
  /** True if this many waiting items are all that can arrive: they are flushed now instead of after `gatherMs`. */
  readonly isComplete?: ((waiting: number) => boolean) | undefined;
  /** Items and bytes that wait or are being flushed, at most; `submit` refuses more. */
  readonly maxPendingRows?: number | undefined;
  readonly maxPendingBytes?: number | undefined;
  /** True if two neighbours must be in one flush. A group longer than a flush is split. */
  readonly isOneWith?: ((before: Item, item: Item) => boolean) | undefined;
  /** The owner of an item. A full flush gives each owner an equal share. Absent: one owner. */
  readonly ownerOf?: ((item: Item) => unknown) | undefined;
  /**
   * Answers for each item, in order; for items that were added the answer is ignored. Null, unless `isAlone`: the item is
   * undone because it takes longer than other owners should wait. An error is the answer for every item.
   */
  readonly flush: (items: readonly Item[], isAlone: boolean) => Promise<readonly (Settled<Result> | null)[]>;
};

export type Batcher<Item, Result> = {
  /**
   * Resolves with the item's result. Throws the item's error, OVERLOADED where too much waits, and StorageError `DEADLINE`
   * where the caller's deadline passed before the flush.
   *
   * @param key chooses the partition; integer, 0 or more
   */
  submit(item: Item, bytes?: number, key?: number): Promise<Result>;
  /** Adds an item without a result. It has no deadline and is never rejected. */
  add(item: Item, key?: number): void;
  /** True if so many more rows of an owner, of so many bytes in all, would be refused. */
  isFull(moreRows: number, moreBytes: number, owner?: unknown): boolean;
  /** The pending part of what may be pending, 0 to 1. */
  filled(): number;
  /** Resolves when nothing waits and no flush runs. */
  settled(): Promise<void>;
  /** Refuses further items and resolves as `settled`. */
  close(): Promise<void>;
};

/** What one owner has pending. */
type Pending = { rows: number; bytes: number };

type Entry<Item, Result> = {
  readonly item: Item;
  readonly owner: unknown;
  readonly pending: Pending;
  readonly bytes: number;
  readonly untilMs: number;
  /** Null: no caller waits for the result. */
  readonly caller: { resolve(result: Result): void; reject(error: unknown): void } | null;
};

type Partition<Item, Result> = {
  readonly waiting: FairQueues<Entry<Item, Result>>;
  /** Items of slow owners, which are flushed alone. */
  readonly alone: AloneQueues<Entry<Item, Result>>;
  isBusy: boolean;
  isAloneBusy: boolean;
  /** Ends the wait for more items; undefined: no such wait. */
  endGathering: (() => void) | undefined;
  flushStartedMs: number;
  lastOwner: unknown;
  /** When items of two owners last followed each other. */
  ownersMixedMs: number;
};

type State<Item, Result> = {
  readonly options: BatcherOptions<Item, Result>;
  readonly maxFlushRows: number;
  readonly maxPending: Readonly<Pending>;
  readonly partitions: readonly Partition<Item, Result>[];
  readonly pending: Pending;
  readonly owners: Map<unknown, Pending>;
  readonly lockWaits: LockWaits;
  runningLoops: number;
  idleListeners: (() => void)[];
  isClosed: boolean;
};

/** A partition counts as shared for this long after items of two owners. Chosen: spans the gaps between requests. */
const SHARED_MS = 1_000;
/**
 * Capacity above `maxPending`, as a part of it, for owners with less pending than its free rest. Chosen: during a
 * flood, further owners still get some.
 */
const RESERVE = 1 / 4;

const newPartition = <Item, Result>(
  longest: number,
  isOneWith: (before: Item, item: Item) => boolean,
): Partition<Item, Result> => {
  const areOne = (before: Entry<Item, Result>, { item }: Entry<Item, Result>): boolean => isOneWith(before.item, item);
  return {
    waiting: fairQueues({ longest, ownerOf: ({ owner }) => owner, isOneWith: areOne }),
    alone: aloneQueues({ longest, isOneWith: areOne }),
    isBusy: false,
    isAloneBusy: false,
    endGathering: undefined,
    flushStartedMs: Number.NEGATIVE_INFINITY,
    lastOwner: undefined,
    ownersMixedMs: Number.NEGATIVE_INFINITY,
  };
};

/** A batcher with empty partitions. */
export const batcher = <Item, Result = void>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> => {
  const { partitions = 1, maxFlushRows = Number.POSITIVE_INFINITY, isOneWith = () => false } = options;
  const { maxPendingRows: rows = Number.POSITIVE_INFINITY, maxPendingBytes: bytes = Number.POSITIVE_INFINITY } =
    options;
  const state: State<Item, Result> = {
    options,
    maxFlushRows,
    maxPending: { rows, bytes },
    partitions: Array.from({ length: partitions }, () => newPartition(maxFlushRows, isOneWith)),
    pending: { rows: 0, bytes: 0 },
    owners: new Map(),
    lockWaits: lockWaits(),
    runningLoops: 0,
    idleListeners: [],
    isClosed: false,
  };
  const settled = (): Promise<void> =>
    state.runningLoops === 0 ? Promise.resolve() : new Promise((resolve) => state.idleListeners.push(resolve));
  return {
    submit: (item, itemBytes = 0, key = 0) => submit(state, item, itemBytes, key),
    add: (item, key = 0) => enqueue(state, entryOf(state, item, 0, Number.POSITIVE_INFINITY, null), key),
    isFull: (moreRows, moreBytes, owner) => isFull(state, moreRows, moreBytes, owner),
    filled: () => Math.min(1, Math.max(state.pending.rows / rows, state.pending.bytes / bytes)),
    settled,
    close: () => {
      state.isClosed = true;
      return settled();
    },
  };
};

const submit = <Item, Result>(state: State<Item, Result>, item: Item, bytes: number, key: number): Promise<Result> => {
  if (isFull(state, 1, bytes, state.options.ownerOf?.(item))) return Promise.reject(overloaded(1));
  return new Promise((resolve, reject) => {
    enqueue(state, entryOf(state, item, bytes, deadlineMs(), { resolve, reject }), key);
  });
};

const isFull = <Item, Result>(
  { options, isClosed, pending, maxPending, owners }: State<Item, Result>,
  moreRows: number,
  moreBytes: number,
  owner: unknown,
): boolean => {
  if (isClosed) return true;
  if (pending.rows + moreRows <= maxPending.rows && pending.bytes + moreBytes <= maxPending.bytes) return false;
  if (options.ownerOf === undefined) return true;
  const { rows, bytes } = owners.get(owner) ?? { rows: 0, bytes: 0 };
  return (
    rows + moreRows > maxPending.rows * (1 + RESERVE) - pending.rows - moreRows ||
    bytes + moreBytes > maxPending.bytes * (1 + RESERVE) - pending.bytes - moreBytes
  );
};

const entryOf = <Item, Result>(
  { options, pending: all, owners }: State<Item, Result>,
  item: Item,
  bytes: number,
  untilMs: number,
  caller: Entry<Item, Result>['caller'],
): Entry<Item, Result> => {
  const owner = options.ownerOf?.(item);
  const pending = owners.get(owner) ?? { rows: 0, bytes: 0 };
  if (pending.rows === 0) owners.set(owner, pending);
  for (const count of [all, pending]) {
    count.rows += 1;
    count.bytes += bytes;
  }
  return { item, owner, pending, bytes, untilMs, caller };
};

const enqueue = <Item, Result>(state: State<Item, Result>, entry: Entry<Item, Result>, key: number): void => {
  const partition = state.partitions[key % state.partitions.length];
  if (partition === undefined) throw new TypeError(`${key} chooses no partition`);
  const { owner } = entry;
  if (partition.alone.has(owner)) {
    partition.alone.push(owner, entry);
    startAloneLoop(state, partition);
    return;
  }
  if (partition.lastOwner !== undefined && partition.lastOwner !== owner) partition.ownersMixedMs = performance.now();
  partition.lastOwner = owner;
  partition.waiting.push(entry);
  if (partition.endGathering && state.options.isComplete?.(partition.waiting.size())) partition.endGathering();
  if (partition.isBusy) return;
  partition.isBusy = true;
  startLoop(state, () => flushUntilEmpty(state, partition));
};

const startLoop = <Item, Result>(state: State<Item, Result>, loop: () => Promise<void>): void => {
  state.runningLoops += 1;
  // A loop serves many callers, so it must not inherit the deadline of the first one.
  withoutDeadline(() => {
    setImmediate(contained(loop));
  });
};

const endLoop = <Item, Result>(state: State<Item, Result>): void => {
  state.runningLoops -= 1;
  if (state.runningLoops > 0) return;
  const listeners = state.idleListeners;
  state.idleListeners = [];
  for (const resolve of listeners) resolve();
};

const flushUntilEmpty = async <Item, Result>(
  state: State<Item, Result>,
  partition: Partition<Item, Result>,
): Promise<void> => {
  const { maxFlushRows, options } = state;
  const { gatherMs = 0, sharedFlushRows = maxFlushRows } = options;
  while (partition.waiting.size() > 0) {
    if (gatherMs > 0) {
      await gather(state, partition, partition.flushStartedMs + gatherMs - performance.now());
      partition.flushStartedMs = performance.now();
    }
    const isShared = performance.now() - partition.ownersMixedMs < SHARED_MS;
    const undone = await flushEntries(state, partition.waiting.take(isShared ? sharedFlushRows : maxFlushRows), false);
    if (undone.length > 0) moveToAlone(state, partition, undone);
    // A flush can end within one turn of the event loop; new arrivals must get into the next flush.
    if (isShared && partition.waiting.size() > 0) await nextTurn();
  }
  partition.isBusy = false;
  endLoop(state);
};

/** Waits `ms`, or until all items that can arrive have arrived. */
const gather = async <Item, Result>(
  state: State<Item, Result>,
  partition: Partition<Item, Result>,
  ms: number,
): Promise<void> => {
  if (ms <= 0 || state.options.isComplete?.(partition.waiting.size())) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    partition.endGathering = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  partition.endGathering = undefined;
};

/** Moves undone items first, then the owner's waiting items. */
const moveToAlone = <Item, Result>(
  state: State<Item, Result>,
  partition: Partition<Item, Result>,
  undone: readonly Entry<Item, Result>[],
): void => {
  for (const [owner, entries] of Map.groupBy(undone, (entry) => entry.owner))
    for (const entry of [...entries, ...partition.waiting.takeOf(owner)]) partition.alone.push(owner, entry);
  startAloneLoop(state, partition);
};

const startAloneLoop = <Item, Result>(state: State<Item, Result>, partition: Partition<Item, Result>): void => {
  if (partition.isAloneBusy || partition.alone.size() === 0) return;
  partition.isAloneBusy = true;
  startLoop(state, () => flushAloneUntilEmpty(state, partition));
};

const flushAloneUntilEmpty = async <Item, Result>(
  state: State<Item, Result>,
  partition: Partition<Item, Result>,
): Promise<void> => {
  while (partition.alone.size() > 0) {
    const { owner, items } = partition.alone.take();
    const startedMs = performance.now();
    await flushEntries(state, items, true);
    partition.alone.flushed(owner, performance.now() - startedMs);
    await nextTurn();
  }
  partition.isAloneBusy = false;
  endLoop(state);
};

/** Flushes entries and answers their callers. Returns those that are undone. Throws nothing. */
const flushEntries = async <Item, Result>(
  state: State<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  isAlone: boolean,
): Promise<readonly Entry<Item, Result>[]> => {
  const undone = new Set<Entry<Item, Result>>();
  try {
    await flushInTime(state, entries, isAlone, undone);
  } catch (error) {
    undone.clear();
    for (const { caller } of entries) caller?.reject(error);
    if (entries.some(({ caller }) => caller === null)) reportUncaught(error);
  }
  release(state, undone.size === 0 ? entries : entries.filter((entry) => !undone.has(entry)));
  return [...undone];
};

const reportUncaught = contained((error: unknown) => {
  throw error;
});

/** One flush within the first deadline, and further ones for entries that have time left after it. */
const flushInTime = async <Item, Result>(
  state: State<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  isAlone: boolean,
  undone: Set<Entry<Item, Result>>,
): Promise<void> => {
  const startedMs = performance.now();
  const inTime: Entry<Item, Result>[] = [];
  let untilMs = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (hasTimeToStart(entry.untilMs, startedMs)) {
      inTime.push(entry);
      untilMs = Math.min(untilMs, entry.untilMs);
    } else entry.caller?.reject(state.lockWaits.lateError(entry.untilMs));
  }
  if (inTime.length === 0) return;
  const items = inTime.map(({ item }) => item);
  const results = await untilDeadline(untilMs, () => state.options.flush(items, isAlone));
  const timeouts = results.map((result) => (result?.ok === false ? timeoutOf(result.error) : null));
  if (timeouts.includes('LOCK_TIMEOUT')) state.lockWaits.ended(startedMs);
  const endedMs = performance.now();
  // With time left until the deadline, something else ended the flush.
  const isOver = !hasTimeToStart(untilMs, endedMs);
  const again: Entry<Item, Result>[] = [];
  for (const [at, entry] of inTime.entries()) {
    const result = results[at];
    if (isOver && timeouts[at] && hasTimeToStart(entry.untilMs, endedMs)) again.push(entry);
    else if (result === null && !isAlone) undone.add(entry);
    else if (result?.ok) entry.caller?.resolve(result.value);
    else entry.caller?.reject(result?.error ?? new Error('a flush left an item out'));
  }
  if (again.length > 0) await flushInTime(state, again, isAlone, undone);
};

/** Entries that are done are no longer pending. */
const release = <Item, Result>(
  { pending: all, owners }: State<Item, Result>,
  entries: readonly Entry<Item, Result>[],
): void => {
  for (const { owner, pending, bytes } of entries) {
    for (const count of [all, pending]) {
      count.rows -= 1;
      count.bytes -= bytes;
    }
    if (pending.rows === 0) owners.delete(owner);
  }
};
