import type { LeaseKey } from './claim.ts';
import type { HotColumn } from './codec.ts';

/** Raw row arrays, in the order of `columns`, as objects with the types of their column words. Throws nothing. */
export const decodeRows = <Row>(columns: readonly HotColumn[], rows: readonly (readonly unknown[])[]): Row[] =>
  rows.map((raw) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      if (column) row[column.key] = column.decode(raw[at]);
    }
    // Safe: the columns are those that the statement was declared with, and `Row` is derived from them.
    return row as Row;
  });

/** A renewed lease from its raw row. Throws nothing. */
export const leaseOf = ([scopeId, id, fence]: readonly unknown[]): LeaseKey => ({
  scopeId: Number(scopeId),
  id: String(id),
  fence: Number(fence),
});
