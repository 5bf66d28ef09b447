// Lines of owners whose items are flushed alone, since they take longer than other owners should wait for.

import { type FairLines, fairLines } from './fair-lines.ts';

/** How long an owner stays alone after the last time that its items took too long, in milliseconds. Chosen. */
const ALONE_MS = 10_000;
/**
 * Items of an owner's first flush, and how long one should take, in milliseconds, so that several such owners take turns: a
 * flush that took less makes the next one twice as long, one that took more half as long. Chosen.
 */
const FIRST_ROWS = 8;
const EASY_MS = 25;
const MOST_MS = 100;

export type AloneLines<Item> = {
  /** Whether an owner's items wait here. */
  has(owner: unknown): boolean;
  push(owner: unknown, item: Item): void;
  /** How many wait. */
  size(): number;
  /** Takes some of one owner's, who has to be given to `flushed` afterwards; owner after owner. */
  take(): { readonly owner: unknown; readonly items: Item[] };
  /** An owner's items that were taken are done; one who was not slow lately goes back to the others where none wait. */
  flushed(owner: unknown, tookMs: number): void;
};

type Line<Item> = { readonly waiting: FairLines<Item>; readonly untilMs: number; isInFlight: boolean; rows: number };

/**
 * Lines that are empty at first. Throws nothing.
 *
 * @param longest how many items at most go together
 */
export const aloneLines = <Item>({
  longest,
  isOneWith,
}: {
  readonly longest: number;
  readonly isOneWith: (before: Item, item: Item) => boolean;
}): AloneLines<Item> => {
  // In the order of their turns.
  const lines = new Map<unknown, Line<Item>>();
  let size = 0;

  const forget = (owner: unknown, line: Line<Item>): void => {
    if (line.waiting.size() === 0 && !line.isInFlight && performance.now() >= line.untilMs) lines.delete(owner);
  };

  return {
    has: (owner) => {
      const line = lines.get(owner);
      if (line) forget(owner, line);
      return lines.has(owner);
    },
    push: (owner, item) => {
      const line = lines.get(owner) ?? {
        waiting: fairLines({ longest, isOneWith }),
        untilMs: performance.now() + ALONE_MS,
        isInFlight: false,
        rows: Math.min(FIRST_ROWS, longest),
      };
      lines.set(owner, line);
      line.waiting.push(item);
      size += 1;
    },
    size: () => size,
    take: () => {
      for (const [owner, line] of lines) {
        if (line.waiting.size() === 0) continue;
        const items = line.waiting.take(line.rows);
        size -= items.length;
        line.isInFlight = true;
        lines.delete(owner);
        lines.set(owner, line);
        return { owner, items };
      }
      return { owner: undefined, items: [] };
    },
    flushed: (owner, tookMs) => {
      const line = lines.get(owner);
      if (!line) return;
      line.isInFlight = false;
      if (tookMs < EASY_MS) line.rows = Math.min(longest, line.rows * 2);
      else if (tookMs > MOST_MS) line.rows = Math.max(1, Math.floor(line.rows / 2));
      forget(owner, line);
    },
  };
};
