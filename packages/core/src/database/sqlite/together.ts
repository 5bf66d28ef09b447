// Rows of one statement that are alike but for what tells them apart: SQLite runs them as one.

import type { Write } from '../commit/write-set.ts';
import { encodedBy } from '../statements/codec.ts';
import type { RenderedTogether, RenderedWrite } from '../statements/rendered.ts';

/** Rows that are alike, and what each of them has of its own. */
export type Alike = {
  readonly rows: Write[];
  /** As they are bound, in the order of the columns; those of the two places are the first row's. */
  readonly values: readonly unknown[];
  readonly bys: unknown[];
  readonly eachs: unknown[];
};

/** Fewer run one by one, which takes them no longer. Ours: measured at 2 to 4 rows. */
const LEAST = 8;
/** Groups that a row is compared with, from the newest on; ours: rows of one moment stand beside each other. */
const LOOKED_AT = 8;

/** Whether so many are worth running together. */
export const isMany = (rows: readonly unknown[]): boolean => rows.length >= LEAST;

/** The rows of a statement as groups that are alike. Throws what encoding a value throws. */
export const alikeRows = (
  columns: RenderedWrite['columns'],
  { by, each }: RenderedTogether,
  rows: readonly Write[],
): Alike[] => {
  const groups: Alike[] = [];
  const values: unknown[] = columns.map(() => null);
  const isLike = (group: Alike): boolean => {
    for (let at = 0; at < values.length; at += 1)
      if (at !== by && at !== each && values[at] !== group.values[at]) return false;
    return true;
  };
  for (const one of rows) {
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      if (column) values[at] = encodedBy(column, one.row[column.key]);
    }
    let found: Alike | undefined;
    for (let at = groups.length - 1; !found && at >= Math.max(groups.length - LOOKED_AT, 0); at -= 1) {
      const group = groups[at];
      if (group && isLike(group)) found = group;
    }
    if (!found) {
      found = { rows: [], values: [...values], bys: [], eachs: [] };
      groups.push(found);
    }
    found.rows.push(one);
    found.bys.push(values[by]);
    if (each !== null) found.eachs.push(values[each]);
  }
  return groups;
};

/** The parameters of the one statement for a group. Throws nothing. */
export const togetherParams = ({ by, each, others }: RenderedTogether, { values, bys, eachs }: Alike): unknown[] => {
  if (each === null) return values.with(by, JSON.stringify(bys));
  const pairs = bys.map((key, at) => `${JSON.stringify(key)}:${JSON.stringify(eachs[at])}`);
  return [`{${pairs.join(',')}}`, ...others.map((at) => values[at])];
};

/** The parameters of each row of a group by itself. Throws nothing. */
export const singleParams = ({ by, each }: RenderedTogether, { values, bys, eachs }: Alike): unknown[][] =>
  bys.map((key, at) => {
    const own = values.with(by, key);
    return each === null ? own : own.with(each, eachs[at]);
  });
