import { createHash } from 'node:crypto';
import { PROGRAM_VERSION } from '../foundation/program-version.ts';
import type { DialectName } from './dialect-name.ts';
import { isOutcomeUnknown } from './errors.ts';

/** One generated SQL file. `name` sorts in the order of application. */
export type Migration = { readonly name: string; readonly sql: string };

/** Relation between the schema of a database and that of the program. */
export type SchemaState = {
  readonly applied: number;
  readonly known: number;
  readonly pending: readonly string[];
  /** The database has migrations that this program does not know. */
  readonly isNewer: boolean;
  /**
   * A program that runs already may go on: the database has its schema, or that of the next minor release, which keeps
   * what this one reads and writes.
   */
  readonly isCompatible: boolean;
  /** The version that made a newer database; null if the database is not newer, or does not say. */
  readonly newerVersion: string | null;
};

/**
 * `newer`: the database has migrations that this program does not know. `unreleased`: it was made before the schema was
 * frozen. `changed`: a migration differs from the one applied. `pending`: migrations are missing. `failed`: one could not be
 * applied, and nothing was changed.
 */
export type SchemaReason = 'newer' | 'unreleased' | 'changed' | 'pending' | 'failed';

/** The schema does not fit this program; `reason` and the message explain it. */
export class SchemaError extends Error {
  readonly reason: SchemaReason;
  constructor(reason: SchemaReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchemaError';
    this.reason = reason;
  }
}

/** An applied migration; `version` is that of the program that applied it, if known. */
export type Applied = { readonly name: string; readonly checksum: string; readonly version?: string | null };

/** What migrating needs of a connection, inside its lock. */
export type MigrationSession = {
  run(sql: string): Promise<void>;
  /** @param version of this program */
  record(name: string, checksum: string, version: string): Promise<void>;
  applied(): Promise<readonly Applied[]>;
};

/** What migrating needs of a database. */
export type Migratable = {
  /** Runs `work` while every other migrator waits, in one transaction. */
  locked<T>(work: (session: MigrationSession) => Promise<T>): Promise<T>;
  /** Reads without a lock and creates nothing. */
  applied(): Promise<readonly Applied[]>;
};

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** True if the database was created with another first migration than the released one. */
const isUnreleased = (known: readonly Migration[], applied: readonly Applied[]): boolean => {
  const [first] = known;
  if (first === undefined || applied.length === 0) return false;
  const appliedChecksum = applied.find(({ name }) => name === first.name);
  return appliedChecksum === undefined || appliedChecksum.checksum !== checksum(first.sql);
};

const UNRELEASED =
  'this database was made before the schema of Beckon was frozen and cannot be carried over: export its workflows with the ' +
  'program that made it (beckon bundle export), then start with a new, empty database and import them; nothing was changed';

/**
 * True if the schema of `other` keeps what `own` uses: a column is removed one minor release after its last reader. The
 * minor release before a major one is not known, so that its first one counts as the next.
 */
export const keepsSchemaOf = (own: string, other: string): boolean => {
  const [major = 0, minor = 0] = own.split('.').map(Number);
  const [next = 0, nextMinor = 0] = other.split('.').map(Number);
  return next === major ? nextMinor <= minor + 1 : next === major + 1 && nextMinor === 0;
};

/** Compares applied with known migrations. Throws SchemaError `unreleased` and `changed`. */
export const compareMigrations = (known: readonly Migration[], applied: readonly Applied[]): SchemaState => {
  if (isUnreleased(known, applied)) throw new SchemaError('unreleased', UNRELEASED);
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  for (const { name, checksum: appliedChecksum } of applied) {
    const mine = byName.get(name);
    if (mine && checksum(mine.sql) !== appliedChecksum)
      throw new SchemaError(
        'changed',
        `migration ${name} differs from the one that this database was made with: install the version of Beckon that made ` +
          'it, or restore a backup; nothing was changed',
      );
  }
  const done = new Set(applied.map(({ name }) => name));
  const pending = known.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  const newer = applied.filter(({ name }) => !byName.has(name));
  const newerVersion = newer.at(-1)?.version ?? null;
  const isNewer = newer.length > 0;
  return {
    ...{ applied: applied.length, known: known.length, pending, isNewer, newerVersion },
    isCompatible:
      pending.length === 0 && (!isNewer || (newerVersion !== null && keepsSchemaOf(PROGRAM_VERSION, newerVersion))),
  };
};

/** Compares the database's schema with the program's; changes nothing. Throws SchemaError `unreleased`, `changed`. */
export const schemaState = async (database: Migratable, known: readonly Migration[]): Promise<SchemaState> =>
  compareMigrations(known, await database.applied());

/** The error for a database that a newer program migrated. */
const newerError = (known: readonly Migration[], applied: readonly Applied[]): SchemaError => {
  const mine = new Set(known.map(({ name }) => name));
  const last = applied.findLast(({ name }) => !mine.has(name));
  const version = last?.version ?? null;
  const made = version === null ? 'by a newer version of Beckon' : `by Beckon ${version}`;
  const required = version === null ? 'that version' : `Beckon ${version} or newer`;
  return new SchemaError(
    'newer',
    `this database was migrated ${made} (${last?.name}), which this program, Beckon ${PROGRAM_VERSION}, does not know: ` +
      `install ${required} and start again; nothing was changed`,
  );
};

/** SQLSTATE class of invalid values, whose message may quote a value. Source: PostgreSQL, appendix A. */
const QUOTES_VALUES = /^22/;

/** The driver's message, in one line and without values. */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown cause';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null && QUOTES_VALUES.test(code)) return code;
  const [line = ''] = error.message.split('\n');
  return code === null || line.includes(code) ? line : `${line} (${code})`;
};

/** The error for a migration that failed. The whole transaction was rolled back. */
const failedError = (name: string, error: unknown): SchemaError =>
  isOutcomeUnknown(error)
    ? new SchemaError(
        'failed',
        'the database went away while migrations were committed, so they may be in place: look with "beckon migrate status" ' +
          'and start again',
        { cause: error },
      )
    : new SchemaError(
        'failed',
        `migration ${name} could not be applied: ${causeOf(error)}; everything in the database is as it was, so remove the ` +
          'cause and run "beckon migrate up" again, or go on with the version of Beckon that used it before',
        { cause: error },
      );

/**
 * Applies missing migrations in order, all or none, and returns their names. Throws SchemaError if the database is
 * newer than the program, was created before the schema was frozen, a file was changed after it was applied, or a
 * migration fails; errors of the driver if no migration was started.
 */
export const migrate = async (database: Migratable, known: readonly Migration[]): Promise<readonly string[]> => {
  let current: string | undefined;
  try {
    return await database.locked(async (session) => {
      const applied = await session.applied();
      const { pending, isNewer } = compareMigrations(known, applied);
      if (isNewer) throw newerError(known, applied);
      for (const { name, sql } of known.filter((migration) => pending.includes(migration.name))) {
        current = name;
        for (const statement of sql.split('--> statement-breakpoint')) {
          if (statement.trim() !== '') await session.run(statement);
        }
        await session.record(name, checksum(sql), PROGRAM_VERSION);
      }
      return pending;
    });
  } catch (error) {
    if (current === undefined || error instanceof SchemaError) throw error;
    throw failedError(current, error);
  }
};

/** The table of applied migrations; created outside the migrations themselves. */
export const MIGRATIONS_TABLE = (dialect: DialectName): string =>
  `create table if not exists beckon_migrations (name text primary key, checksum text not null, applied_at ${
    dialect === 'sqlite' ? 'integer' : 'timestamptz'
  } not null, version text)`;
