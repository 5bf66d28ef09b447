import type { LeaseKey } from './claim.ts';
import type { HotColumn } from './codec.ts';

type Raw = Record<string, unknown>;

const nullRows = new WeakMap<readonly HotColumn[], Raw>();

/**
 * A row of nulls, to be copied. An object that gets more than a dozen keys one by one becomes a hash table, several
 * times the size and slower to read, for the lifetime of the row. A result of JSON.parse, and its copies, do not.
 */
const nullRowOf = (columns: readonly HotColumn[]): Raw => {
  const existing = nullRows.get(columns);
  if (existing) return existing;
  const made: Raw = JSON.parse(JSON.stringify(Object.fromEntries(columns.map(({ key }) => [key, null]))));
  nullRows.set(columns, made);
  return made;
};

/** Converts raw row arrays, in the order of `columns`, to objects with the types of their columns. Throws nothing. */
export const decodeRows = <Row>(columns: readonly HotColumn[], rows: readonly (readonly unknown[])[]): Row[] => {
  const nullRow = nullRowOf(columns);
  return rows.map((raw) => {
    const row = { ...nullRow };
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      const value = raw[at];
      if (column && value !== null) row[column.key] = column.decode(value);
    }
    // Safe: these are the statement's declared columns, and `Row` is derived from them.
    return row as Row;
  });
};

/** Converts a raw row to a renewed lease. Throws nothing. */
export const leaseOf = ([scopeId, id, fence]: readonly unknown[]): LeaseKey => ({
  scopeId: Number(scopeId),
  id: String(id),
  fence: Number(fence),
});
