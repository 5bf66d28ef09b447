import type { HotColumn } from './codec.ts';

/** A hot statement ready for one database: its fixed text and how a row becomes parameters. */
export type RenderedWrite = {
  readonly id: string;
  readonly text: string;
  readonly columns: readonly HotColumn[];
  readonly isGuarded: boolean;
  /** Positions within `columns` of the conflict target, or of the compared columns; none for a plain insert. */
  readonly identity: readonly number[];
  /**
   * PostgreSQL: whether it is a prepared statement. The server keeps the plan of one from the moment that it was made, and
   * that of an update of a small table walks the whole of it, until the server analyzes the table that has grown.
   */
  readonly isKept: boolean;
  /**
   * Guarded: what comes back for a row that took effect on PostgreSQL, its identity or its place in the batch; or, on both
   * databases, how many rows it has to make is what it says by `rows`, and it runs alone; or, on SQLite, the places of rows
   * without effect, where one statement is all of them, as of a read.
   */
  readonly returns: 'identity' | 'ordinal' | 'count' | 'missed';
  /** How often the database's moment is bound behind the columns. */
  readonly moments: number;
  /**
   * SQLite: the same for `ROWS_AT_ONCE` rows, each with its moments behind its values; absent: rows run one by one. Of guarded
   * rows it tells how many took effect, and not which.
   */
  readonly many?: string;
  /** SQLite: values are bound by the names of their columns, and the moment as `now`; absent: one by one. */
  readonly isNamed?: boolean;
};

export type RenderedSelect = {
  readonly id: string;
  readonly text: string;
  /** PostgreSQL only, for one key: which its index alone can serve. */
  readonly single: { readonly name: string; readonly text: string } | null;
  readonly keys: readonly HotColumn[];
  readonly columns: readonly HotColumn[];
  /** Whether the database's moment is bound behind the keys; it is then planned for the table as it is. */
  readonly hasMoment?: boolean;
};
