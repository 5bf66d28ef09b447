/**
 * Entries in the order of a list of names. The owner of a pipeline keeps the list.
 *
 * @throws Error for an entry whose name is not in the list, and for two entries of one name
 */
export const inOrder = <Entry extends { readonly name: string }>(
  order: readonly string[],
  entries: readonly Entry[],
): Entry[] => {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (byName.size < entries.length) throw new Error('two entries of a pipeline have one name');
  for (const name of byName.keys()) if (!order.includes(name)) throw new Error(`the order of a pipeline lacks ${name}`);
  return order.flatMap((name) => byName.get(name) ?? []);
};

/**
 * Closes modules in the reverse of the order in which they were built, each when the one behind it is closed. One that
 * throws does not keep the others open.
 *
 * @throws AggregateError with what was thrown, when all are closed
 */
export const closeAll = async (
  modules: readonly { readonly name: string; close?(): void | Promise<void> }[],
): Promise<void> => {
  const errors: unknown[] = [];
  for (const { close } of modules.toReversed()) {
    try {
      await close?.();
    } catch (error) {
      // Of modules within a module, each error counts.
      errors.push(...(error instanceof AggregateError ? error.errors : [error]));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'modules failed to close');
};
