import type { LeaseKey } from './claim.ts';
import type { HotColumn } from './codec.ts';

type Raw = Record<string, unknown>;

const blanks = new WeakMap<readonly HotColumn[], Raw>();

/**
 * A row of nulls, to be copied. An object that is given more than a dozen keys one by one becomes a hash table, of several
 * times the size and slower to read, for as long as the row lives; what JSON.parse made, and copies of it, do not.
 */
const blankOf = (columns: readonly HotColumn[]): Raw => {
  const known = blanks.get(columns);
  if (known) return known;
  const made: Raw = JSON.parse(JSON.stringify(Object.fromEntries(columns.map(({ key }) => [key, null]))));
  blanks.set(columns, made);
  return made;
};

/** Raw row arrays, in the order of `columns`, as objects with the types of their column words. Throws nothing. */
export const decodeRows = <Row>(columns: readonly HotColumn[], rows: readonly (readonly unknown[])[]): Row[] => {
  const blank = blankOf(columns);
  return rows.map((raw) => {
    const row = { ...blank };
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      const value = raw[at];
      if (column && value !== null) row[column.key] = column.decode(value);
    }
    // Safe: the columns are those that the statement was declared with, and `Row` is derived from them.
    return row as Row;
  });
};

/** A renewed lease from its raw row. Throws nothing. */
export const leaseOf = ([scopeId, id, fence]: readonly unknown[]): LeaseKey => ({
  scopeId: Number(scopeId),
  id: String(id),
  fence: Number(fence),
});
