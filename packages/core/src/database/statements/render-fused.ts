// SQLite: many rows of one update as one statement. Binding and running a statement takes as long as changing a row.

import type { ColumnName, Fused } from './bulk.ts';
import type { HotColumn } from './codec.ts';
import type { RenderedFused } from './rendered.ts';
import { quote } from './sql-parts.ts';

/** The parts of an update of one row. */
type Parts = {
  readonly table: string;
  /** Columns that are set, then columns of `where`. */
  readonly columns: readonly HotColumn[];
  readonly where: readonly HotColumn[];
  /** One assignment per column that is set. */
  readonly sets: readonly string[];
  readonly when: ((column: ColumnName) => string) | undefined;
};

/** Throws TypeError if the first column is not compared, or the second is not set to a value. */
export const renderFused = (
  { table, columns, where, sets, when }: Parts,
  { by: byKey, each: eachKey }: Fused,
): RenderedFused => {
  const firstWhere = columns.length - where.length;
  const byName = where.find(({ key }) => key === byKey)?.name;
  const by = columns.findIndex(({ key }, at) => at >= firstWhere && key === byKey);
  const each = eachKey === undefined ? null : columns.findIndex(({ key }) => key === eachKey);
  const eachName = each === null ? undefined : columns[each]?.name;
  const setsEach = `${quote(eachName ?? '')} = ?`;
  if (byName === undefined || (each !== null && !sets.includes(setsEach)))
    throw new TypeError(`rows of ${table} cannot differ in ${byKey} and ${eachKey}`);
  const positions = columns.map((_, at) => at);
  const compared = positions.filter((at) => at >= firstWhere && at !== by);
  const set = positions.filter((at) => at < firstWhere && at !== each);
  // A sub-select, since SQLite may plan a statement with a bare parameter again each time it is bound.
  const matches = (own: ColumnName, key: string): string =>
    [
      ...where.map(({ name }) => `${own(name)} ${name === byName ? key : '= (select ?)'}`),
      ...(when ? [`(${when(own)})`] : []),
    ].join(' and ');
  if (each === null) {
    const found = matches((name) => `${table}.${quote(name)}`, 'in (select value from json_each(?))');
    return { text: `update ${table} set ${sets.join(', ')} where ${found}`, by, each, others: [] };
  }
  // The rows are found first: otherwise SQLite scans the whole table instead of looking up the keys of the object.
  const found = matches((name) => `t.${quote(name)}`, '= k.key');
  return {
    text:
      'with f as materialized (select t.rowid as "r", k.value as "v" from json_each(?) as k ' +
      `cross join ${table} as t where ${found}) ` +
      `update ${table} set ${sets.map((one) => (one === setsEach ? `${quote(eachName ?? '')} = f."v"` : one)).join(', ')} ` +
      `from f where ${table}.rowid = f."r"`,
    by,
    each,
    others: [...compared, ...set],
  };
};
