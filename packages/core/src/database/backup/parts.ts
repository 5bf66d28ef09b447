import { getTableName } from 'drizzle-orm';
import type { Applied, Migration } from '../migrate.ts';
import type { BackupFrame, BackupWriter } from './file.ts';

/** Rows, or contents of columns, that a backup without secrets leaves out of a table. */
export type Secret = {
  readonly table: string;
  /** Condition for the rows that have the secret, as SQL for both databases. */
  readonly where: string;
  /** Replacement values in every exported row of the table; null: rows with the secret are left out. */
  readonly columns: Readonly<Record<string, null | ''>> | null;
  /** What the operator must set again; null: it comes back by itself. */
  readonly description: string | null;
};

/** A snapshot of a database. */
export type Snapshot = {
  readonly migrations: readonly Applied[];
  /** Number of rows with each secret, in the order of `secrets`. */
  readonly counts: readonly number[];
  write(writer: BackupWriter): Promise<void>;
  close(): Promise<void>;
};

/** Input of a restore, for both databases. */
export type Restoring = {
  readonly frames: AsyncIterable<BackupFrame>;
  /** Migrations of the backup, all known to the program. */
  readonly migrations: readonly Migration[];
  /** Migrations of the program. */
  readonly known: readonly Migration[];
  /** True: existing rows are deleted. */
  readonly isForced: boolean;
  /** Every table of the program. */
  readonly tables: readonly string[];
  /** Query that proves that the master key fits; null: the backup has no secrets. `check` throws. */
  readonly proof: { readonly sql: string; check(rows: readonly unknown[]): void } | null;
};

/** A quoted SQL identifier, for both databases. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Workers of the backed-up database do not work on this one. */
export const NO_WORKERS = 'delete from workers';

/** SQL of the value that replaces a secret. */
export const blank = (value: null | ''): string => (value === null ? 'null' : "''");

/** SQL names of tables. */
export const tableNames = (tables: object): string[] => Object.values(tables).map((table) => getTableName(table));
