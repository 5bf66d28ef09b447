import { createHash } from 'node:crypto';
import type { DialectName } from './dialect-name.ts';

/** One generated SQL file. `name` sorts in the order of application. */
export type Migration = { readonly name: string; readonly sql: string };

/** What a database and this program know of each other's schema. */
export type SchemaState = {
  readonly applied: number;
  readonly known: number;
  readonly pending: readonly string[];
  /** The database has migrations that this program does not know. */
  readonly isNewer: boolean;
};

/** The schema does not fit this program; `reason` says how. */
export class SchemaError extends Error {
  readonly reason: 'newer' | 'changed' | 'pending';
  constructor(reason: 'newer' | 'changed' | 'pending', message: string) {
    super(message);
    this.name = 'SchemaError';
    this.reason = reason;
  }
}

/** A migration that a database remembers. */
export type Applied = { readonly name: string; readonly checksum: string };

/** The few things that migrating needs of a connection, inside its lock. */
export type MigrationSession = {
  run(sql: string): Promise<void>;
  record(name: string, checksum: string): Promise<void>;
  applied(): Promise<readonly Applied[]>;
};

/** What a database offers to its migrator. */
export type Migratable = {
  /** Runs `work` with every other migrator shut out; all of it is one transaction. */
  locked<T>(work: (session: MigrationSession) => Promise<T>): Promise<T>;
  /** Looks without a lock and without making anything. */
  applied(): Promise<readonly Applied[]>;
};

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** How migrations that were applied relate to those that are known. Throws SchemaError `changed`. */
export const compareMigrations = (known: readonly Migration[], applied: readonly Applied[]): SchemaState => {
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  for (const { name, checksum: was } of applied) {
    const mine = byName.get(name);
    if (mine && checksum(mine.sql) !== was)
      throw new SchemaError('changed', `migration ${name} differs from the one that this database was made with`);
  }
  const done = new Set(applied.map(({ name }) => name));
  return {
    applied: applied.length,
    known: known.length,
    pending: known.filter(({ name }) => !done.has(name)).map(({ name }) => name),
    isNewer: applied.some(({ name }) => !byName.has(name)),
  };
};

/** How the database's schema relates to the program's; changes nothing. Throws SchemaError `changed`. */
export const schemaState = async (database: Migratable, known: readonly Migration[]): Promise<SchemaState> =>
  compareMigrations(known, await database.applied());

/**
 * Applies what is missing, in order, all or nothing, and answers the names applied. Throws SchemaError when the
 * database is newer than the program or a file was changed after it was applied.
 */
export const migrate = (database: Migratable, known: readonly Migration[]): Promise<readonly string[]> =>
  database.locked(async (session) => {
    const { pending, isNewer } = compareMigrations(known, await session.applied());
    if (isNewer)
      throw new SchemaError('newer', 'this database was made by a newer Beckon; upgrade the program and start again');
    for (const { name, sql } of known.filter((migration) => pending.includes(migration.name))) {
      for (const statement of sql.split('--> statement-breakpoint')) {
        if (statement.trim() !== '') await session.run(statement);
      }
      await session.record(name, checksum(sql));
    }
    return pending;
  });

/** The table that remembers what was applied; made outside the migrations themselves. */
export const MIGRATIONS_TABLE = (dialect: DialectName): string =>
  `create table if not exists beckon_migrations (name text primary key, checksum text not null, applied_at ${
    dialect === 'sqlite' ? 'integer' : 'timestamptz'
  } not null)`;
