// SQLite: many rows of one update as one statement. To bind and run a statement takes as long as the change of a row.

import type { ColumnName, Together } from './bulk.ts';
import type { HotColumn } from './codec.ts';
import type { RenderedTogether } from './rendered.ts';
import { quote } from './sql-parts.ts';

/** What an update of one row is made of. */
type Parts = {
  readonly table: string;
  /** Those that are set, then those of `where`. */
  readonly columns: readonly HotColumn[];
  readonly where: readonly HotColumn[];
  /** One for each column that is set. */
  readonly sets: readonly string[];
  readonly when: ((column: ColumnName) => string) | undefined;
};

/** Throws TypeError where a row is not found by the one column, or does not set the other to a value. */
export const togetherForm = (
  { table, columns, where, sets, when }: Parts,
  { by: byKey, each: eachKey }: Together,
): RenderedTogether => {
  const firstWhere = columns.length - where.length;
  const byName = where.find(({ key }) => key === byKey)?.name;
  const by = columns.findIndex(({ key }, at) => at >= firstWhere && key === byKey);
  const each = eachKey === undefined ? null : columns.findIndex(({ key }) => key === eachKey);
  const eachName = each === null ? undefined : columns[each]?.name;
  const setsEach = `${quote(eachName ?? '')} = ?`;
  if (byName === undefined || (each !== null && !sets.includes(setsEach)))
    throw new TypeError(`rows of ${table} cannot differ in ${byKey} and ${eachKey}`);
  const places = columns.map((_, at) => at);
  const compared = places.filter((at) => at >= firstWhere && at !== by);
  const set = places.filter((at) => at < firstWhere && at !== each);
  // As a sub-select: of a bare parameter SQLite may plan the statement anew each time that it is bound.
  const matches = (own: ColumnName, key: string): string =>
    [
      ...where.map(({ name }) => `${own(name)} ${name === byName ? key : '= (select ?)'}`),
      ...(when ? [`(${when(own)})`] : []),
    ].join(' and ');
  if (each === null) {
    const found = matches((name) => `${table}.${quote(name)}`, 'in (select value from json_each(?))');
    return { text: `update ${table} set ${sets.join(', ')} where ${found}`, by, each, others: [] };
  }
  // The rows are found first: SQLite would rather read all rows of the table than those of the object one by one.
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
