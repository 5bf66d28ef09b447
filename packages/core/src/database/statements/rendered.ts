import type { HotColumn } from './codec.ts';

/** A hot statement rendered for one database: its fixed text and the conversion of a row to parameters. */
export type RenderedWrite = {
  readonly id: string;
  readonly text: string;
  readonly columns: readonly HotColumn[];
  readonly isGuarded: boolean;
  /** Positions in `columns` of the conflict target, or of the compared columns; none for a plain insert. */
  readonly identity: readonly number[];
  /**
   * PostgreSQL: true for a prepared statement. The server keeps its plan, and the plan of an update of a small table
   * scans all of it until the grown table is analyzed.
   */
  readonly isKept: boolean;
  /**
   * For guarded rows. PostgreSQL returns the identity or the ordinal of each row that took effect. `count`, on both
   * databases: the statement runs alone and must change `rows` rows. `missed`, on SQLite: one statement covers all
   * rows, as for a read, and returns the indexes of rows without effect.
   */
  readonly returns: 'identity' | 'ordinal' | 'count' | 'missed';
  /** How often the database's time is bound after the columns. */
  readonly moments: number;
  /**
   * SQLite: the text for `ROWS_AT_ONCE` rows, each with its times after its values; absent: rows run one by one. For
   * guarded rows it reports how many took effect, not which.
   */
  readonly many?: string;
  /** SQLite: values are bound by column name, and the time as `now`; absent: by position. */
  readonly isNamed?: boolean;
};

export type RenderedSelect = {
  readonly id: string;
  readonly text: string;
  /** PostgreSQL only: the text for one key, which its index alone can serve. */
  readonly single: { readonly name: string; readonly text: string } | null;
  readonly keys: readonly HotColumn[];
  readonly columns: readonly HotColumn[];
  /** True if the database's time is bound after the keys; the statement is then planned for the current table. */
  readonly hasMoment?: boolean;
};
