// Who waits, in a line for each owner, so that nobody's many stand before somebody else's few.

export type FairLines<Item> = {
  /** How many wait. */
  size(): number;
  push(item: Item): void;
  /** Takes all of one owner's. */
  takeOf(owner: unknown): Item[];
  /**
   * Takes all that wait, or of more than `most` so many: of each owner as many as of any other as long as there are some,
   * and what goes together only as a whole. Each owner's items stay in their order.
   */
  take(most: number): Item[];
};

type Taking<Item> = { readonly owner: unknown; readonly items: Item[]; taken: number };

/**
 * Lines that know nothing of time. Throws nothing.
 *
 * @param longest how many at most go together, which may be more than are taken: such a one is taken where it is the first
 */
export const fairLines = <Item>({
  longest,
  ownerOf = () => null,
  isOneWith,
}: {
  readonly longest: number;
  /** Whose an item is. Absent: one owner's. */
  readonly ownerOf?: ((item: Item) => unknown) | undefined;
  /** Whether an item goes together with the one before it, of the same owner. */
  readonly isOneWith: (before: Item, item: Item) => boolean;
}): FairLines<Item> => {
  const lines = new Map<unknown, Item[]>();
  let size = 0;
  // Grows from one taking to the next, so that everybody is the first at times.
  let turn = 0;

  /** How many of a line go together next; 0: it is at its end. */
  const unitOf = ({ items, taken }: Taking<Item>): number => {
    let length = 0;
    for (let at = taken; at < items.length && length < longest; at += 1, length += 1) {
      const [before, item] = [items[at - 1], items[at]];
      if (length > 0 && before !== undefined && item !== undefined && !isOneWith(before, item)) break;
    }
    return length;
  };

  const share = (all: readonly Taking<Item>[], most: number): void => {
    turn += 1;
    const first = turn % all.length;
    let open = [...all.slice(first), ...all.slice(0, first)];
    let room = most;
    while (room > 0 && open.length > 0) {
      const each = Math.max(1, Math.floor(room / open.length));
      open = open.filter((line) => {
        for (let given = 0; given < each; ) {
          const unit = unitOf(line);
          if (unit === 0 || (unit > room && room < most)) return false;
          // What is longer than a share goes where it is the first of its owner.
          if (given > 0 && given + unit > each) break;
          line.taken += unit;
          given += unit;
          room -= unit;
        }
        return true;
      });
    }
  };

  return {
    size: () => size,
    push: (item) => {
      const owner = ownerOf(item);
      const line = lines.get(owner);
      if (line) line.push(item);
      else lines.set(owner, [item]);
      size += 1;
    },
    takeOf: (owner) => {
      const line = lines.get(owner) ?? [];
      lines.delete(owner);
      size -= line.length;
      return line;
    },
    take: (most) => {
      if (size <= most) {
        const all = [...lines.values()].flat();
        lines.clear();
        size = 0;
        return all;
      }
      const all = [...lines].map(([owner, items]): Taking<Item> => ({ owner, items, taken: 0 }));
      share(all, most);
      const taken = all.flatMap((line) => line.items.splice(0, line.taken));
      for (const { owner, items } of all) if (items.length === 0) lines.delete(owner);
      size -= taken.length;
      return taken;
    },
  };
};
