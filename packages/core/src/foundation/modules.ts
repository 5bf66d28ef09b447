/**
 * Sorts entries by a list of names, which the owner of the pipeline keeps.
 *
 * @throws Error for an entry whose name is not in the list, and for two entries with one name
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
 * Closes modules one after the other in reverse order of creation. If one throws, the others are still closed.
 *
 * @throws AggregateError with all errors, after all modules are closed
 */
export const closeAll = async (
  modules: readonly { readonly name: string; close?(): void | Promise<void> }[],
): Promise<void> => {
  const errors: unknown[] = [];
  for (const { close } of modules.toReversed()) {
    try {
      await close?.();
    } catch (error) {
      // A module of modules throws an AggregateError; its errors are listed individually.
      errors.push(...(error instanceof AggregateError ? error.errors : [error]));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'modules failed to close');
};
