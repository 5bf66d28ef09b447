// Groups rows of one statement that are equal except for their key, so that SQLite runs them as one statement.

import type { Write } from '../commit/write-set.ts';
import { encodedBy } from '../statements/codec.ts';
import type { RenderedFused, RenderedWrite } from '../statements/rendered.ts';

/** Similar rows, and the values that differ. */
export type SimilarRows = {
  readonly rows: Write[];
  /** Bound values in the order of the columns; in the two differing columns those of the first row. */
  readonly values: readonly unknown[];
  readonly keyValues: unknown[];
  readonly ownValues: unknown[];
};

/** Fewer rows run one by one. Measured: break-even at 2 to 4 rows. */
const MIN_ROWS = 8;
/** Groups that a row is compared with, from the newest. Chosen: rows of one moment are adjacent. */
const MAX_COMPARED = 8;

/** True if fusing this many rows pays off. */
export const isWorthFusing = (rows: readonly unknown[]): boolean => rows.length >= MIN_ROWS;

/** Groups the rows of a statement by similarity. Throws errors of encoding a value. */
export const groupSimilar = (
  columns: RenderedWrite['columns'],
  { by, each }: RenderedFused,
  rows: readonly Write[],
): SimilarRows[] => {
  const groups: SimilarRows[] = [];
  const values: unknown[] = columns.map(() => null);
  const isSimilar = (group: SimilarRows): boolean => {
    for (let at = 0; at < values.length; at += 1)
      if (at !== by && at !== each && values[at] !== group.values[at]) return false;
    return true;
  };
  for (const one of rows) {
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      if (column) values[at] = encodedBy(column, one.row[column.key]);
    }
    let found: SimilarRows | undefined;
    for (let at = groups.length - 1; !found && at >= Math.max(groups.length - MAX_COMPARED, 0); at -= 1) {
      const group = groups[at];
      if (group && isSimilar(group)) found = group;
    }
    if (!found) {
      found = { rows: [], values: [...values], keyValues: [], ownValues: [] };
      groups.push(found);
    }
    found.rows.push(one);
    found.keyValues.push(values[by]);
    if (each !== null) found.ownValues.push(values[each]);
  }
  return groups;
};

/** Parameters of the fused statement of a group. Throws nothing. */
export const fusedParams = (
  { by, each, others }: RenderedFused,
  { values, keyValues, ownValues }: SimilarRows,
): unknown[] => {
  if (each === null) return values.with(by, JSON.stringify(keyValues));
  const pairs = keyValues.map((key, at) => `${JSON.stringify(key)}:${JSON.stringify(ownValues[at])}`);
  return [`{${pairs.join(',')}}`, ...others.map((at) => values[at])];
};

/** Parameters of each row of a group by itself. Throws nothing. */
export const singleParams = ({ by, each }: RenderedFused, { values, keyValues, ownValues }: SimilarRows): unknown[][] =>
  keyValues.map((key, at) => {
    const own = values.with(by, key);
    return each === null ? own : own.with(each, ownValues[at]);
  });
