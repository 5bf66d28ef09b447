import { getTableName } from 'drizzle-orm';
import type { Applied, Migration } from '../migrate.ts';
import type { BackupFrame, BackupWriter } from './file.ts';

/** What a backup without secrets leaves out of a table: rows, or what stands in some of their columns. */
export type Secret = {
  readonly table: string;
  /** Which rows have it, as SQL of both databases. */
  readonly where: string;
  /** What stands there instead, in every row that is kept of the table; null: rows that have it are left out. */
  readonly columns: Readonly<Record<string, null | ''>> | null;
  /** What has to be set again, for people; null: it comes back by itself. */
  readonly says: string | null;
};

/** A moment of a database, to be written down. */
export type Snapshot = {
  readonly migrations: readonly Applied[];
  /** Rows that had each secret, in the order given. */
  readonly counts: readonly number[];
  write(writer: BackupWriter): Promise<void>;
  close(): Promise<void>;
};

/** What both databases are restored with. */
export type Restoring = {
  readonly frames: AsyncIterable<BackupFrame>;
  /** Those of the backup, all of them known. */
  readonly migrations: readonly Migration[];
  /** Those of the program. */
  readonly known: readonly Migration[];
  /** Rows that are there are given up. */
  readonly isForced: boolean;
  /** Every table of the program. */
  readonly tables: readonly string[];
  /** What shows that the master key fits; null: the backup holds no secrets. `check` throws. */
  readonly proof: { readonly sql: string; check(rows: readonly unknown[]): void } | null;
};

/** A name as SQL has it, in both databases. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Whoever worked on the database of the backup does not work on this one. */
export const NO_WORKERS = 'delete from workers';

/** The value that stands in the place of a secret. */
export const blank = (value: null | ''): string => (value === null ? 'null' : "''");

/** The names of tables, as the database has them. */
export const tableNames = (tables: object): string[] => Object.values(tables).map((table) => getTableName(table));
