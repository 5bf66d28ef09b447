// Statements whose text is written by their modules, for queries that no other form covers. Several modules may each
// write a part, such as for a send to an audience. Only constant text goes into them; variable values are bound by
// name.

import type { Table } from 'drizzle-orm';
import { rankOf } from '../commit/commit-order.ts';
import type { DialectName } from '../dialect-name.ts';
import type { BulkWrite } from './bulk.ts';
import { type HotColumn, hotColumns, quotedTable } from './codec.ts';
import type { RenderedWrite } from './rendered.ts';
import { list, need } from './sql-parts.ts';
import type { SqlText, TextContext } from './text-context.ts';

/** Values of a statement by name: each is bound like the column of the table with this key. */
type TextValues = Readonly<Record<string, string>>;

/** Inserts the result of a select: one statement per row of the write set, whose values it binds. */
type FillForm = {
  readonly columns: readonly string[];
  readonly values: TextValues;
  /** Returns the columns in their order. */
  readonly select: SqlText;
};

/** A read with its own text. Its rows have these columns, each decoded like a column of the table. */
export type BulkQuery<Values = unknown, Row = unknown> = {
  readonly kind: 'query';
  readonly id: string;
  readonly table: Table;
  readonly values: TextValues;
  readonly columns: TextValues;
  readonly text: SqlText;
  /** Never set; they carry types. */
  readonly input?: Values;
  readonly row?: Row;
};

type KeyOf<T extends Table> = Extract<keyof T['$inferSelect'], string>;
type Bound<T extends Table, V extends Readonly<Record<string, KeyOf<T>>>> = {
  readonly [Name in keyof V]: T['$inferSelect'][V[Name]];
};

/**
 * An insert of the result of a select. If it is `isGuarded`, a row of the write set states in `rows` how many rows it
 * must find; another number fails its tag. Throws as `rankOf`.
 */
export const bulkFill = <T extends Table, const V extends Readonly<Record<string, KeyOf<T>>>>(
  id: string,
  table: T,
  form: { readonly columns: readonly KeyOf<T>[]; readonly values: V; readonly select: SqlText },
  { isGuarded = false, rank = rankOf(id) }: { readonly isGuarded?: boolean; readonly rank?: number } = {},
): BulkWrite<Bound<T, V> & { readonly rows: number }> => ({
  kind: 'write',
  id,
  table,
  form: { verb: 'own', render: (dialect, bulk) => renderFill(dialect, bulk, form) },
  isGuarded,
  rank,
});

/** A read with its own text; `columns` are those of its rows, in their order. Throws nothing. */
export const bulkQuery = <
  T extends Table,
  const V extends Readonly<Record<string, KeyOf<T>>>,
  const C extends Readonly<Record<string, KeyOf<T>>>,
>(
  id: string,
  table: T,
  form: { readonly values: V; readonly columns: C; readonly text: SqlText },
): BulkQuery<Bound<T, V>, Bound<T, C>> => ({ kind: 'query', id, table, ...form });

/** Marks a value until the whole text is known, since parts may be written in another order than they appear. */
const MARK = /<<(\w+)>>/g;

type BoundText = { readonly text: string; readonly columns: readonly HotColumn[] };

/** Replaces marks by placeholders and lists the bound columns in order. Throws TypeError for a name without a value. */
const bindText = (
  dialect: DialectName,
  id: string,
  text: SqlText,
  named: Readonly<Record<string, HotColumn>>,
): BoundText => {
  const columns: HotColumn[] = [];
  const marked = text({ dialect, value: (name) => `<<${name}>>` });
  const withPlaceholders = marked.replaceAll(MARK, (_, name: string) => {
    const column = need(named, name, id);
    // SQLite's driver accepts an array only for plain `?`, so a value that is used again is bound again.
    if (dialect === 'sqlite') {
      columns.push(column);
      return '?';
    }
    if (!columns.includes(column)) columns.push(column);
    return `$${columns.indexOf(column) + 1}::${column.pgType}`;
  });
  return { text: withPlaceholders, columns };
};

const namedAs = (table: Readonly<Record<string, HotColumn>>, values: TextValues, id: string) =>
  Object.fromEntries(Object.entries(values).map(([name, key]) => [name, { ...need(table, key, id), key: name }]));

/** The text of a fill for one database. Throws TypeError for an unknown name. */
const renderFill = (dialect: DialectName, bulk: BulkWrite, form: FillForm): RenderedWrite => {
  const all = hotColumns(dialect, bulk.table);
  const into = `insert into ${quotedTable(bulk.table)} (${list(form.columns.map((key) => need(all, key, bulk.id)))})`;
  const { text, columns } = bindText(dialect, bulk.id, form.select, namedAs(all, form.values, bulk.id));
  const made = `${into} ${text}`;
  return {
    id: bulk.id,
    // Planned for the current tables: a kept plan would be that of small ones.
    ...{ columns, isGuarded: bulk.isGuarded, identity: [], isKept: false, returns: 'count', moments: 0 },
    text: dialect === 'sqlite' ? made : `with made as (${made} returning 1) select count(*)::integer from made`,
  };
};

export type RenderedQuery = {
  readonly id: string;
  readonly text: string;
  readonly values: readonly HotColumn[];
  readonly columns: readonly HotColumn[];
};

/** The text of a query for one database. Throws TypeError for an unknown name. */
export const renderQuery = (dialect: DialectName, query: BulkQuery): RenderedQuery => {
  const all = hotColumns(dialect, query.table);
  const { text, columns: values } = bindText(dialect, query.id, query.text, namedAs(all, query.values, query.id));
  return { id: query.id, text, values, columns: Object.values(namedAs(all, query.columns, query.id)) };
};

/**
 * SQL of an id for a row that a statement inserts: it sorts among other ids by its time, and among ids of one head by
 * place; 48 bits are random. `placedId` creates the same form in code.
 *
 * @param head name of a value: `idHead` of the moment
 * @param place SQL of a whole number
 */
export const placedIdText = ({ dialect, value }: TextContext, head: string, place: string): string => {
  const [high, low] = [`((${place}) >> 12) & 4095`, `(${place}) & 4095`];
  if (dialect === 'sqlite')
    return `${value(head)} || printf('-7%03x-8%03x-', ${high}, ${low}) || lower(hex(randomblob(6)))`;
  // 7hhh8lll in one number: an id is parsed with or without dashes.
  const digits = `to_hex(${0x70008000} + (${high}) * 65536 + (${low}))`;
  return `(${value(head)} || ${digits} || right(gen_random_uuid()::text, 12))::uuid`;
};

/** SQL of a JSON object without null columns, as `JSON.stringify` writes one of its members. Throws nothing. */
export const jsonText = (
  { dialect }: TextContext,
  required: readonly [string, string],
  optional: readonly [string, string],
): string => {
  const [name, column] = required;
  const [other, maybe] = optional;
  return dialect === 'sqlite'
    ? `case when ${maybe} is null then json_object('${name}', ${column}) else json_object('${name}', ${column}, '${other}', ${maybe}) end`
    : `jsonb_strip_nulls(jsonb_build_object('${name}', ${column}, '${other}', ${maybe}))`;
};
