// Queues of owners whose items are flushed alone, because they take longer than other owners should wait.

import { type FairQueues, fairQueues } from './fair-queues.ts';

/** How long an owner stays alone after its items were last slow, in milliseconds. Chosen. */
const ALONE_MS = 10_000;
/**
 * Items of an owner's first flush, and the target duration of a flush in milliseconds, so that several slow owners
 * alternate: a faster flush doubles the next one, a slower one halves it. Chosen.
 */
const FIRST_ROWS = 8;
const EASY_MS = 25;
const MOST_MS = 100;

export type AloneQueues<Item> = {
  /** True if the owner's items wait here. */
  has(owner: unknown): boolean;
  push(owner: unknown, item: Item): void;
  /** Number of waiting items. */
  size(): number;
  /** Takes some items of one owner, round robin; `flushed` must be called for that owner afterwards. */
  take(): { readonly owner: unknown; readonly items: Item[] };
  /**
   * The taken items of an owner are done. An owner without waiting items that has not been slow lately returns to the
   * shared queue.
   */
  flushed(owner: unknown, tookMs: number): void;
};

type OwnerQueue<Item> = {
  readonly waiting: FairQueues<Item>;
  readonly untilMs: number;
  isInFlight: boolean;
  rows: number;
};

/**
 * Empty queues. Throws nothing.
 *
 * @param longest maximum number of items that go together
 */
export const aloneQueues = <Item>({
  longest,
  isOneWith,
}: {
  readonly longest: number;
  readonly isOneWith: (before: Item, item: Item) => boolean;
}): AloneQueues<Item> => {
  // In round-robin order.
  const queues = new Map<unknown, OwnerQueue<Item>>();
  let size = 0;

  const forget = (owner: unknown, queue: OwnerQueue<Item>): void => {
    if (queue.waiting.size() === 0 && !queue.isInFlight && performance.now() >= queue.untilMs) queues.delete(owner);
  };

  return {
    has: (owner) => {
      const queue = queues.get(owner);
      if (queue) forget(owner, queue);
      return queues.has(owner);
    },
    push: (owner, item) => {
      const queue = queues.get(owner) ?? {
        waiting: fairQueues({ longest, isOneWith }),
        untilMs: performance.now() + ALONE_MS,
        isInFlight: false,
        rows: Math.min(FIRST_ROWS, longest),
      };
      queues.set(owner, queue);
      queue.waiting.push(item);
      size += 1;
    },
    size: () => size,
    take: () => {
      for (const [owner, queue] of queues) {
        if (queue.waiting.size() === 0) continue;
        const items = queue.waiting.take(queue.rows);
        size -= items.length;
        queue.isInFlight = true;
        queues.delete(owner);
        queues.set(owner, queue);
        return { owner, items };
      }
      return { owner: undefined, items: [] };
    },
    flushed: (owner, tookMs) => {
      const queue = queues.get(owner);
      if (!queue) return;
      queue.isInFlight = false;
      if (tookMs < EASY_MS) queue.rows = Math.min(longest, queue.rows * 2);
      else if (tookMs > MOST_MS) queue.rows = Math.max(1, Math.floor(queue.rows / 2));
      forget(owner, queue);
    },
  };
};
