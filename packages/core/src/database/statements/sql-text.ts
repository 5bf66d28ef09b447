// Statements whose text their modules write, for what no other form can say. Several modules may each write a part, such as
// of a send to an audience. Only constant text goes into them; what varies is bound by a name.

import type { Table } from 'drizzle-orm';
import { rankOf } from '../commit/commit-order.ts';
import type { DialectName } from '../dialect-name.ts';
import type { BulkWrite } from './bulk.ts';
import { type HotColumn, hotColumns, quotedTable } from './codec.ts';
import type { RenderedWrite } from './rendered.ts';
import { list, need } from './sql-parts.ts';
import type { SqlText, TextContext } from './text-context.ts';

/** The values of a statement by their names: each is bound as a column of the table is, given by its key in code. */
type TextValues = Readonly<Record<string, string>>;

/** Inserts what a select finds: one statement for each row of the write set, whose values it binds. */
type FillForm = {
  readonly columns: readonly string[];
  readonly values: TextValues;
  /** Gives the columns in their order. */
  readonly select: SqlText;
};

/** A read of its own. Its rows have the given columns, each decoded as a column of the table is. */
export type BulkQuery<Values = unknown, Row = unknown> = {
  readonly kind: 'query';
  readonly id: string;
  readonly table: Table;
  readonly values: TextValues;
  readonly columns: TextValues;
  readonly text: SqlText;
  /** Never set: they carry types. */
  readonly given?: Values;
  readonly row?: Row;
};

type KeyOf<T extends Table> = Extract<keyof T['$inferSelect'], string>;
type Bound<T extends Table, V extends Readonly<Record<string, KeyOf<T>>>> = {
  readonly [Name in keyof V]: T['$inferSelect'][V[Name]];
};

/**
 * An insert of what a select finds. Where it is `isGuarded`, a row of the write set says by `rows` how many it has to find;
 * another number fails its tag. Throws as `rankOf`.
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

/** A read whose text is given; `columns` are those of its rows, in their order. Throws nothing. */
export const bulkQuery = <
  T extends Table,
  const V extends Readonly<Record<string, KeyOf<T>>>,
  const C extends Readonly<Record<string, KeyOf<T>>>,
>(
  id: string,
  table: T,
  form: { readonly values: V; readonly columns: C; readonly text: SqlText },
): BulkQuery<Bound<T, V>, Bound<T, C>> => ({ kind: 'query', id, table, ...form });

/** What stands for a value until the whole text is there: parts may be written in another order than they stand in. */
const MARK = /<<(\w+)>>/g;

type Placed = { readonly text: string; readonly columns: readonly HotColumn[] };

/** The text with its places, and what is bound to these in their order. Throws TypeError for a name without a value. */
const placed = (
  dialect: DialectName,
  id: string,
  text: SqlText,
  named: Readonly<Record<string, HotColumn>>,
): Placed => {
  const columns: HotColumn[] = [];
  const marked = text({ dialect, value: (name) => `<<${name}>>` });
  const places = marked.replaceAll(MARK, (_, name: string) => {
    const column = need(named, name, id);
    // SQLite's driver takes an array only for plain `?`, so a value that is named again is bound again.
    if (dialect === 'sqlite') {
      columns.push(column);
      return '?';
    }
    if (!columns.includes(column)) columns.push(column);
    return `$${columns.indexOf(column) + 1}::${column.pgType}`;
  });
  return { text: places, columns };
};

const namedAs = (table: Readonly<Record<string, HotColumn>>, values: TextValues, id: string) =>
  Object.fromEntries(Object.entries(values).map(([name, key]) => [name, { ...need(table, key, id), key: name }]));

/** The text of a fill for one database. Throws TypeError when it names what there is not. */
const renderFill = (dialect: DialectName, bulk: BulkWrite, form: FillForm): RenderedWrite => {
  const all = hotColumns(dialect, bulk.table);
  const into = `insert into ${quotedTable(bulk.table)} (${list(form.columns.map((key) => need(all, key, bulk.id)))})`;
  const { text, columns } = placed(dialect, bulk.id, form.select, namedAs(all, form.values, bulk.id));
  const made = `${into} ${text}`;
  return {
    id: bulk.id,
    // Planned for the tables as they are: a plan that the server keeps is that of a small one.
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

/** The text of a query for one database. Throws TypeError when it names what there is not. */
export const renderQuery = (dialect: DialectName, query: BulkQuery): RenderedQuery => {
  const all = hotColumns(dialect, query.table);
  const { text, columns: values } = placed(dialect, query.id, query.text, namedAs(all, query.values, query.id));
  return { id: query.id, text, values, columns: Object.values(namedAs(all, query.columns, query.id)) };
};

/**
 * An id of ours for a row that a statement makes: it sorts among the others by its moment, and among those that are made of
 * one head by its place; 48 bits of it are the database's own chance. `placedId` makes the same form in code.
 *
 * @param head name of a value: `idHead` of the moment
 * @param place SQL of a whole number
 */
export const placedIdText = ({ dialect, value }: TextContext, head: string, place: string): string => {
  const [high, low] = [`((${place}) >> 12) & 4095`, `(${place}) & 4095`];
  if (dialect === 'sqlite')
    return `${value(head)} || printf('-7%03x-8%03x-', ${high}, ${low}) || lower(hex(randomblob(6)))`;
  // 7hhh8lll at once: it is read as an id with or without its dashes.
  const digits = `to_hex(${0x70008000} + (${high}) * 65536 + (${low}))`;
  return `(${value(head)} || ${digits} || right(gen_random_uuid()::text, 12))::uuid`;
};

/** A JSON object of columns that are not null, as `JSON.stringify` writes one of these members. Throws nothing. */
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
