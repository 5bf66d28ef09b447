import { overloaded } from '../errors.ts';

/** Rows and bytes that wait at most before requests are shed. Source: performance design, ingest and durability. */
export const MAX_PENDING_ROWS = 20_000;
export const MAX_PENDING_BYTES = 16 * 1_024 * 1_024;
/** Rows of one flush at most. Source: as above. */
export const MAX_FLUSH_ROWS = 1_000;

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/** What became of each item of a flush, in its order. */
export type Settled<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

/**
 * Natural batching: an item joins the open batch of its lane; while one batch is being written the next one fills.
 * There is no timer. Lanes are independent, so whatever must keep its order shares one.
 */
export const lanes = <Item, Result>(
  count: number,
  flush: (items: readonly Item[]) => Promise<readonly Settled<Result>[]>,
) => {
  const waiting: Waiting<Item, Result>[][] = Array.from({ length: count }, () => []);
  const busy = new Set<number>();
  let rows = 0;
  let bytes = 0;
  let isClosed = false;
  let onIdle: (() => void) | undefined;

  const work = async (lane: number): Promise<void> => {
    const queue = waiting[lane] ?? [];
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_FLUSH_ROWS);
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
    }
    busy.delete(lane);
    if (busy.size === 0) onIdle?.();
  };

  return {
    /** Resolves when the item's batch is on disk. Throws OVERLOADED when too much waits already. */
    submit: (item: Item, itemBytes: number, key: number): Promise<Result> => {
      if (isClosed || rows >= MAX_PENDING_ROWS || bytes + itemBytes > MAX_PENDING_BYTES)
        return Promise.reject(overloaded(1));
      const lane = key % count;
      rows += 1;
      bytes += itemBytes;
      const settled = new Promise<Result>((resolve, reject) => {
        waiting[lane]?.push({ item, bytes: itemBytes, resolve, reject });
      });
      if (!busy.has(lane)) {
        busy.add(lane);
        setImmediate(() => void work(lane));
      }
      return settled;
    },
    /** True when any of so many more rows, of so many bytes together, would be shed. */
    isFull: (moreRows: number, moreBytes: number): boolean =>
      isClosed || rows + moreRows > MAX_PENDING_ROWS || bytes + moreBytes > MAX_PENDING_BYTES,
    /** Refuses what comes and resolves when nothing waits any more. */
    close: (): Promise<void> => {
      isClosed = true;
      return new Promise((resolve) => {
        if (busy.size === 0) resolve();
        else onIdle = resolve;
      });
    },
  };
};
