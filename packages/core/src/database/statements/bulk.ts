import type { Table } from 'drizzle-orm';
import { compact } from '../../foundation/compact.ts';
import { rankOf } from '../commit/commit-order.ts';
import type { DialectName } from '../dialect-name.ts';
import type { RenderedSelect, RenderedWrite } from './rendered.ts';

/**
 * Hot statements, described once and rendered for either database (render.ts): SQLite runs the prepared text once per
 * row inside one transaction, or once for many similar rows; PostgreSQL runs it once per batch over `unnest`. A row
 * means the same on both.
 */
export type BulkWrite<Row = Record<string, unknown>> = {
  readonly kind: 'write';
  /** Unique across the program; the name of the prepared statement. */
  readonly id: string;
  readonly table: Table;
  readonly form: InsertForm | UpdateForm | DeleteForm | CustomForm | PreconditionForm;
  /** If true, a row without effect fails its write set (see write-set.ts); otherwise it is ignored. */
  readonly isGuarded: boolean;
  /** Statements of a commit run in the order of ranks; within one rank, in the order of their first rows. */
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
    /** Columns that replace or add to the existing row; without both, the new row is dropped. */
    readonly set?: readonly string[];
    readonly add?: readonly string[];
    /** Constant condition on the existing row; if it is false, the new row has no effect. */
    readonly when?: (column: ColumnName) => string;
  };
  /** Writes rows in the order of their conflict target, so that all transactions lock them in one order. */
  readonly isOrdered?: boolean;
  /** For a work table (claim.ts): rows are created with a lease of this many milliseconds, by the clock of claims. */
  readonly leasedMs?: number;
};

/** What an update does with a column; `increment` and `null` need no value from the row. */
export type SetVerb = 'value' | 'add' | 'keep' | 'greatest' | 'increment' | 'null';

export type UpdateForm = {
  readonly verb: 'update';
  readonly where: readonly string[];
  readonly set: Readonly<Record<string, SetVerb>>;
  /** Constant condition in addition to the equalities of `where`. */
  readonly when?: (column: ColumnName) => string;
  /** Locks rows in the order of `where` before changing any, whatever plan PostgreSQL chooses. */
  readonly isOrdered?: boolean;
};

export type DeleteForm = {
  readonly verb: 'delete';
  readonly where: readonly string[];
  readonly when?: (column: ColumnName) => string;
};

/** A statement whose module renders the text. */
export type CustomForm = {
  readonly verb: 'own';
  readonly render: (dialect: DialectName, bulk: BulkWrite) => RenderedWrite;
};

/**
 * A precondition that changes nothing: a row takes effect if the table has the stated number of matching rows. It sees
 * what was committed before the statement began, so a plan can rely on its reads.
 */
export type PreconditionForm = {
  readonly verb: 'still';
  /** Columns that the counted rows match; an index must serve them. */
  readonly of: readonly string[];
  /** Constant condition on the counted rows. */
  readonly when?: (column: ColumnName) => string;
};

/** A batch read of the rows whose key columns equal one of the keys. */
export type BulkSelect<Row = unknown> = {
  readonly kind: 'select';
  readonly id: string;
  readonly table: Table;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly when?: (column: ColumnName) => string;
  /** Maximum rows over all keys; absent: all. */
  readonly most?: number;
  /** Per key, only the row with the greatest value in this column; absent: all rows. */
  readonly greatest?: string;
  /** Renders the text; SQLite binds the time after the keys. Absent: the text follows from the other fields. */
  readonly render?: (dialect: DialectName, bulk: BulkSelect) => RenderedSelect;
  /** Never set: carries the row's type. */
  readonly row?: Row;
};

/** Rank of a statement; by default that of its id in commit-order.ts, which must contain it. */
type Ranked = { readonly rank?: number };

/** Values of the key columns of one row, in their order: texts, ids and whole numbers. */
export type SelectKey = readonly (string | number)[];

type Insert<T extends Table> = T['$inferInsert'];
type Select<T extends Table> = T['$inferSelect'];
type KeyOf<T> = Extract<keyof T, string>;

/** A batch insert. Each of several rows with one conflict target meets the one before it. Throws as `rankOf`. */
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
 * A batch update by key. A column that is both compared and set takes its new value from the row's `new` key: with
 * `person` in both, rows have `person` and `newPerson`. Throws as `rankOf`.
 *
 * @param options `isOrdered` if many transactions change several of the same rows: without it PostgreSQL locks rows in
 * the order of its plan, two transactions deadlock, and one is aborted after a second
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
    // Safe: absent verbs are removed.
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

/** Guards that the number of matching rows is still the one that was read, per row of the batch. Throws as `rankOf`. */
export const bulkPrecondition = <T extends Table, K extends KeyOf<Insert<T>>>(
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
 * A batch read: all rows whose key columns equal one of the keys, or at most `most` of them, in no order. Throws
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
 * A batch read of one row per key: of the rows that match it and satisfy `when`, the one with the greatest value in
 * `by`. An index over the key, the columns of `when` and `by` makes it one look-up per key. Throws nothing.
 */
export const bulkGreatest = <T extends Table, C extends KeyOf<Select<T>>>(
  id: string,
  table: T,
  key: readonly KeyOf<Select<T>>[],
  columns: readonly C[],
  by: KeyOf<Select<T>>,
  when?: (column: ColumnName) => string,
): BulkSelect<Pick<Select<T>, C>> => ({ ...bulkSelect(id, table, key, columns, when), greatest: by });
