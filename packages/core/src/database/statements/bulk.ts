import type { Table } from 'drizzle-orm';
import { compact } from '../../foundation/compact.ts';
import { rankOf } from '../commit/commit-order.ts';
import type { DialectName } from '../dialect-name.ts';
import type { RenderedSelect, RenderedWrite } from './rendered.ts';

/**
 * Hot statements, described once and rendered for either database (render.ts): SQLite runs the prepared text once
 * per row inside one transaction, or once for many that are alike, PostgreSQL once per batch over `unnest`. What a row means is the same on both.
 */
export type BulkWrite<Row = Record<string, unknown>> = {
  readonly kind: 'write';
  /** Unique across the program: it names the prepared statement. */
  readonly id: string;
  readonly table: Table;
  readonly form: InsertForm | UpdateForm | DeleteForm | OwnForm | StillForm;
  /** A row without effect fails its write set (see write-set.ts); otherwise it is passed over in silence. */
  readonly isGuarded: boolean;
  /** A commit runs its statements from the smallest rank on; of one rank, in the order of their first rows. */
  readonly rank: number;
  /** Never set: carries the row's type. */
  readonly row?: Row;
};

/** Renders a column of the written row inside a constant condition. */
export type ColumnName = (name: string) => string;

export type InsertForm = {
  readonly verb: 'insert';
  readonly columns: readonly string[];
  readonly conflict?: {
    /** Keys in code of the unique columns. */
    readonly target: readonly string[];
    /** What replaces the row that is there, and what is added to it; neither: the new row is dropped. */
    readonly set?: readonly string[];
    readonly add?: readonly string[];
    /** Constant condition on the row that is there; where it is false the new row has no effect. */
    readonly when?: (column: ColumnName) => string;
  };
  /** Writes its rows in the order of their conflict target, so that two transactions lock them in one order. */
  readonly isOrdered?: boolean;
  /** Of a work table (claim.ts): its rows are made with a lease of so many milliseconds, by the clock that claims go by. */
  readonly leasedMs?: number;
};

/** What an update does with a column; `increment` and `null` take no value from the row. */
export type SetVerb = 'value' | 'add' | 'keep' | 'greatest' | 'increment' | 'null';

export type UpdateForm = {
  readonly verb: 'update';
  readonly where: readonly string[];
  readonly set: Readonly<Record<string, SetVerb>>;
  /** Constant condition besides the equalities of `where`. */
  readonly when?: (column: ColumnName) => string;
  /** Locks its rows in the order of `where` before it changes one, whatever plan PostgreSQL makes. */
  readonly isOrdered?: boolean;
};

export type DeleteForm = {
  readonly verb: 'delete';
  readonly where: readonly string[];
  readonly when?: (column: ColumnName) => string;
};

/** A statement whose module renders its text. */
export type OwnForm = {
  readonly verb: 'own';
  readonly render: (dialect: DialectName, bulk: BulkWrite) => RenderedWrite;
};

/**
 * Changes nothing: a row has its effect where the table has as many rows equal to it as it says. It sees what was committed
 * before its statement began, so that a plan can rely on what was read for it.
 */
export type StillForm = {
  readonly verb: 'still';
  /** What the counted rows equal, which an index has to serve. */
  readonly of: readonly string[];
  /** Constant condition on them. */
  readonly when?: (column: ColumnName) => string;
};

/** A batch read of the rows whose key columns equal one of the given keys. */
export type BulkSelect<Row = unknown> = {
  readonly kind: 'select';
  readonly id: string;
  readonly table: Table;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly when?: (column: ColumnName) => string;
  /** Rows at most, of all keys together; absent: all. */
  readonly most?: number;
  /** Of each key only the row that is greatest in this column; absent: all rows of a key. */
  readonly greatest?: string;
  /** Renders its text, which SQLite gets with the moment behind its keys. Absent: the text is that of the other fields. */
  readonly render?: (dialect: DialectName, bulk: BulkSelect) => RenderedSelect;
  /** Never set: carries the row's type. */
  readonly row?: Row;
};

/** Where a statement stands in a commit: by default where its id stands in commit-order.ts, which then must name it. */
type Ranked = { readonly rank?: number };

/** The values of the key columns of one row, in their order: texts, ids and whole numbers. */
export type SelectKey = readonly (string | number)[];

type Insert<T extends Table> = T['$inferInsert'];
type Select<T extends Table> = T['$inferSelect'];
type KeyOf<T> = Extract<keyof T, string>;

/** A batch insert. Of several rows with one conflict target each finds the one before it. Throws as `rankOf`. */
export const bulkInsert = <T extends Table, K extends KeyOf<Insert<T>>>(
  id: string,
  table: T,
  columns: readonly K[],
  options: {
    conflict?: {
      target: readonly KeyOf<Insert<T>>[];
      set?: readonly KeyOf<Insert<T>>[];
      add?: readonly KeyOf<Insert<T>>[];
      when?: (column: ColumnName) => string;
    };
    isGuarded?: boolean;
    isOrdered?: boolean;
    leasedMs?: number;
  } & Ranked = {},
): BulkWrite<Pick<Insert<T>, K>> => ({
  kind: 'write',
  id,
  table,
  form: {
    verb: 'insert',
    columns,
    ...(options.conflict ? { conflict: options.conflict } : {}),
    isOrdered: options.isOrdered ?? false,
    ...compact({ leasedMs: options.leasedMs }),
  },
  isGuarded: options.isGuarded ?? false,
  rank: options.rank ?? rankOf(id),
});

/**
 * A batch update by key. A column that is both compared and set takes its new value from the row's `new` key:
 * with `person` in both, rows hold `person` and `newPerson`. Throws as `rankOf`.
 *
 * @param options `isOrdered` for rows that many transactions change several of: without it PostgreSQL locks rows in
 * whatever order its plan finds them, two transactions wait for each other, and one of them is ended after a second
 */
export const bulkUpdate = <T extends Table>(
  id: string,
  table: T,
  options: {
    where: readonly KeyOf<Insert<T>>[];
    set: Partial<Record<KeyOf<Insert<T>>, SetVerb>>;
    when?: (column: ColumnName) => string;
    isGuarded?: boolean;
    isOrdered?: boolean;
  } & Ranked,
): BulkWrite<Partial<Insert<T>> & { readonly [Key in `new${Capitalize<KeyOf<Insert<T>>>}`]?: unknown }> => ({
  kind: 'write',
  id,
  table,
  form: {
    verb: 'update',
    where: options.where,
    // Safe: an absent verb is left out of the entries.
    set: Object.fromEntries(Object.entries(options.set).filter(([, verb]) => verb)) as Record<string, SetVerb>,
    ...(options.when ? { when: options.when } : {}),
    isOrdered: options.isOrdered ?? false,
  },
  isGuarded: options.isGuarded ?? false,
  rank: options.rank ?? rankOf(id),
});

/** A batch delete by key. Throws as `rankOf`. */
export const bulkDelete = <T extends Table>(
  id: string,
  table: T,
  options: {
    where: readonly KeyOf<Insert<T>>[];
    when?: (column: ColumnName) => string;
    isGuarded?: boolean;
  } & Ranked,
): BulkWrite<Partial<Insert<T>>> => ({
  kind: 'write',
  id,
  table,
  form: { verb: 'delete', where: options.where, ...(options.when ? { when: options.when } : {}) },
  isGuarded: options.isGuarded ?? false,
  rank: options.rank ?? rankOf(id),
});

/** Guards that there are as many rows as were read, each row of the batch for its own key. Throws as `rankOf`. */
export const bulkStill = <T extends Table, K extends KeyOf<Insert<T>>>(
  id: string,
  table: T,
  of: readonly K[],
  { when, rank = rankOf(id) }: { when?: (column: ColumnName) => string } & Ranked = {},
): BulkWrite<Pick<Insert<T>, K> & { readonly count: number }> => ({
  kind: 'write',
  id,
  table,
  form: { verb: 'still', of, ...(when ? { when } : {}) },
  isGuarded: true,
  rank,
});

/**
 * A batch read: all rows whose key columns equal one of the given keys, or `most` of them, in no order. Throws
 * nothing.
 */
export const bulkSelect = <T extends Table, C extends KeyOf<Select<T>>>(
  id: string,
  table: T,
  key: readonly KeyOf<Select<T>>[],
  columns: readonly C[],
  when?: (column: ColumnName) => string,
  most?: number,
): BulkSelect<Pick<Select<T>, C>> => ({
  kind: 'select',
  id,
  table,
  key,
  columns,
  ...(when ? { when } : {}),
  ...compact({ most }),
});

/**
 * A batch read of one row for each key: of those that equal it and that `when` lets pass, the one that is greatest in
 * the column `by`. An index over the key, what `when` asks for and `by` makes it one look-up a key. Throws nothing.
 */
export const bulkGreatest = <T extends Table, C extends KeyOf<Select<T>>>(
  id: string,
  table: T,
  key: readonly KeyOf<Select<T>>[],
  columns: readonly C[],
  by: KeyOf<Select<T>>,
  when?: (column: ColumnName) => string,
): BulkSelect<Pick<Select<T>, C>> => ({ ...bulkSelect(id, table, key, columns, when), greatest: by });
