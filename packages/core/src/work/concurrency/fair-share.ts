// Which of many waiting items go first, so that nobody's many stand before somebody else's few.

export type FairShare<Item> = {
  readonly most: number;
  /** How many at most go together, which may be more than `most`: such a one is taken where it is the first of all. */
  readonly longest?: number;
  readonly ownerOf: (item: Item) => unknown;
  /** Whether an item goes together with the one before it. */
  readonly isOneWith: (before: Item, item: Item) => boolean;
  /** Grows by one from call to call, so that everybody is the first at times. */
  readonly turn: number;
};

type Line<Item> = { readonly items: Item[]; taken: number };

const linesOf = <Item>(waiting: readonly Item[], ownerOf: (item: Item) => unknown): Line<Item>[] => {
  const lines = new Map<unknown, Line<Item>>();
  for (const item of waiting) {
    const owner = ownerOf(item);
    const line = lines.get(owner);
    if (line) line.items.push(item);
    else lines.set(owner, { items: [item], taken: 0 });
  }
  return [...lines.values()];
};

/** How many of a line go together next; 0: it is at its end. */
const unitOf = <Item>({ items, taken }: Line<Item>, { most, longest = most, isOneWith }: FairShare<Item>): number => {
  let length = 0;
  for (let at = taken; at < items.length && length < longest; at += 1, length += 1) {
    const [before, item] = [items[at - 1], items[at]];
    if (length > 0 && before !== undefined && item !== undefined && !isOneWith(before, item)) break;
  }
  return length;
};

/**
 * Takes up to `most` of what waits, of each owner as many as of any other as long as there are some, and what goes
 * together only as a whole. Each owner's items stay in their order. Null: all are of one owner. Throws nothing.
 */
export const fairShare = <Item>(
  waiting: readonly Item[],
  share: FairShare<Item>,
): { readonly taken: Item[]; readonly left: Item[] } | null => {
  const lines = linesOf(waiting, share.ownerOf);
  if (lines.length < 2) return null;
  const first = share.turn % lines.length;
  let open = [...lines.slice(first), ...lines.slice(0, first)];
  let room = share.most;
  while (room > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(room / open.length));
    open = open.filter((line) => {
      for (let given = 0; given < each; ) {
        const unit = unitOf(line, share);
        if (unit === 0 || (unit > room && room < share.most)) return false;
        // What is longer than a share goes where it is the first of its owner.
        if (given > 0 && given + unit > each) break;
        line.taken += unit;
        given += unit;
        room -= unit;
      }
      return true;
    });
  }
  return {
    taken: lines.flatMap(({ items, taken }) => items.slice(0, taken)),
    left: lines.flatMap(({ items, taken }) => items.slice(taken)),
  };
};
