import { getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { tablesOf } from '../../src/app/tables.ts';

/** Values of one row by the keys of its columns in code. */
export type Values = Readonly<Record<string, unknown>>;

type Pair = readonly [first: unknown, second: unknown];

/** Two values of each type that are as close as the type allows: a comparison that is off by one confuses them. */
const PAIRS: Readonly<Record<string, Pair>> = {
  text: ['one', 'onE'],
  uuid: ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'],
  boolean: [false, true],
  number: [1, 2],
  json: [{ n: 1 }, { n: 2 }],
  date: [new Date('2026-03-01T12:00:00.123Z'), new Date('2026-03-01T12:00:00.124Z')],
};

type Typed = { readonly key: string; readonly isRequired: boolean; readonly pair: Pair };

/** SQLite stores ids as text, so the types are read from the tables of PostgreSQL. */
const BY_NAME = new Map<string, Table>(
  Object.values(tablesOf('postgres')).map((table) => [getTableName(table), table]),
);

const typedColumns = (table: Table): readonly Typed[] =>
  Object.entries(getTableColumns(BY_NAME.get(getTableName(table)) ?? table)).flatMap(([key, column]) => {
    // The database assigns positions itself.
    if (key === 'position') return [];
    const isId = column.getSQLType() === 'uuid';
    const isText = column.dataType === 'string' || column.dataType === 'custom';
    const pair = PAIRS[isId ? 'uuid' : isText ? 'text' : column.dataType];
    if (!pair) throw new TypeError(`no sample for a column of type ${column.dataType}`);
    return [{ key, isRequired: column.notNull, pair }];
  });

/** A row with the first value of its type in every required or named column, and null in the others. */
export const sampleRow = (table: Table, filled: readonly string[]): Values =>
  Object.fromEntries(
    typedColumns(table).map(({ key, isRequired, pair: [first] }) => [
      key,
      isRequired || filled.includes(key) ? first : null,
    ]),
  );

/** The second value of the type in every column. */
export const otherRow = (table: Table): Values =>
  Object.fromEntries(typedColumns(table).map(({ key, pair: [, second] }) => [key, second]));

/** A value of the column that differs from the given one. */
export const otherThan = (table: Table, key: string, value: unknown): unknown => {
  const found = typedColumns(table).find((one) => one.key === key);
  if (!found) throw new TypeError(`${getTableName(table)} has no column ${key}`);
  const [first, second] = found.pair;
  return value === second || value === first ? (value === second ? first : second) : first;
};
