/**
 * Runs work of one name sequentially: items that arrive meanwhile wait and then run as one batch. The promise resolves
 * when all items of the call are done; it rejects with the error of their batch.
 */
export const inSequence = <Item>(work: (items: readonly Item[]) => Promise<void>) => {
  const pendingByName = new Map<string, { readonly items: Item[]; readonly done: Promise<void> }>();
  const last = new Map<string, Promise<unknown>>();
  return (name: string, items: readonly Item[]): Promise<void> => {
    const next = pendingByName.get(name);
    if (next) {
      next.items.push(...items);
      return next.done;
    }
    const own = [...items];
    const done = (last.get(name) ?? Promise.resolve()).then(() => {
      pendingByName.delete(name);
      return work(own);
    });
    pendingByName.set(name, { items: own, done });
    const over = done.catch(() => undefined);
    last.set(name, over);
    void over.then(() => {
      if (last.get(name) === over) last.delete(name);
    });
    return done;
  };
};
