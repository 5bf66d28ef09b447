// A queue per owner, so that the many items of one owner do not delay the few of another.

export type FairQueues<Item> = {
  /** Number of waiting items. */
  size(): number;
  push(item: Item): void;
  /** Takes all items of one owner. */
  takeOf(owner: unknown): Item[];
  /**
   * Takes all items, or at most `most` of them: an equal number per owner while each has some, and groups only as a
   * whole. Each owner's items stay in order.
   */
  take(most: number): Item[];
};

type OwnerTake<Item> = { readonly owner: unknown; readonly items: Item[]; count: number };

/**
 * Queues without any timing. Throws nothing.
 *
 * @param longest maximum length of a group, which may exceed `most`: such a group is taken if it comes first
 */
export const fairQueues = <Item>({
  longest,
  ownerOf = () => null,
  isOneWith,
}: {
  readonly longest: number;
  /** The owner of an item. Absent: one owner. */
  readonly ownerOf?: ((item: Item) => unknown) | undefined;
  /** True if an item belongs to the same group as the one before it, of the same owner. */
  readonly isOneWith: (before: Item, item: Item) => boolean;
}): FairQueues<Item> => {
  const queues = new Map<unknown, Item[]>();
  let size = 0;
  // Increases with each call, so that every owner is first at times.
  let round = 0;

  /** Length of a queue's next group; 0: the queue is empty. */
  const unitOf = ({ items, count }: OwnerTake<Item>): number => {
    let length = 0;
    for (let at = count; at < items.length && length < longest; at += 1, length += 1) {
      const [before, item] = [items[at - 1], items[at]];
      if (length > 0 && before !== undefined && item !== undefined && !isOneWith(before, item)) break;
    }
    return length;
  };

  const share = (all: readonly OwnerTake<Item>[], most: number): void => {
    round += 1;
    const first = round % all.length;
    let open = [...all.slice(first), ...all.slice(0, first)];
    let left = most;
    while (left > 0 && open.length > 0) {
      const each = Math.max(1, Math.floor(left / open.length));
      open = open.filter((queue) => {
        for (let granted = 0; granted < each; ) {
          const unit = unitOf(queue);
          if (unit === 0 || (unit > left && left < most)) return false;
          // A group longer than a share is taken if it is the first of its owner.
          if (granted > 0 && granted + unit > each) break;
          queue.count += unit;
          granted += unit;
          left -= unit;
        }
        return true;
      });
    }
  };

  return {
    size: () => size,
    push: (item) => {
      const owner = ownerOf(item);
      const queue = queues.get(owner);
      if (queue) queue.push(item);
      else queues.set(owner, [item]);
      size += 1;
    },
    takeOf: (owner) => {
      const queue = queues.get(owner) ?? [];
      queues.delete(owner);
      size -= queue.length;
      return queue;
    },
    take: (most) => {
      if (size <= most) {
        const all = [...queues.values()].flat();
        queues.clear();
        size = 0;
        return all;
      }
      const all = [...queues].map(([owner, items]): OwnerTake<Item> => ({ owner, items, count: 0 }));
      share(all, most);
      const count = all.flatMap((queue) => queue.items.splice(0, queue.count));
      for (const { owner, items } of all) if (items.length === 0) queues.delete(owner);
      size -= count.length;
      return count;
    },
  };
};
