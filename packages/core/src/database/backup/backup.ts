// Backs up a whole database into one file and restores it. SQLite is copied page by page as of one moment; PostgreSQL
// is written table by table from one snapshot, each value as text. Concurrent writers neither wait nor appear with
// partial writes.

import { stat } from 'node:fs/promises';
import { compareMigrations, type Migration, SchemaError } from '../migrate.ts';
import { shippedMigrations } from '../migrations.ts';
import { openDatabase } from '../open.ts';
import { BackupError } from './error.ts';
import { type BackupHeader, readBackup, writeBackup } from './file.ts';
import type { Restoring, Secret } from './parts.ts';

export type BackupParts = {
  /** `sqlite:PATH` or `postgres://...`. */
  readonly db: string;
  readonly file: string;
  readonly tables: readonly string[];
};

const sqlitePath = (db: string): string | null => {
  if (db === 'sqlite::memory:') throw new TypeError('a database in memory has no backup');
  return db.startsWith('sqlite:') ? db.slice('sqlite:'.length) : null;
};

/** Rejects a newer database, which may have unknown tables, and an older one, which lacks columns that hold secrets. */
const checkSchema = async (db: string, withSecrets: boolean): Promise<void> => {
  const { state, storage } = await openDatabase({ url: db, trustPath: true });
  try {
    const { applied, pending, isNewer } = await state();
    if (isNewer)
      throw new SchemaError('newer', 'this database was made by a newer Beckon; make the backup with that version');
    if (applied === 0 || (!withSecrets && pending.length > 0))
      throw new SchemaError('pending', 'migrations are missing in this database');
  } finally {
    await storage.close();
  }
};

/** Writes a backup. Throws BackupError, SchemaError for a database of another version, and errors of the database. */
export const createBackup = async ({
  db,
  file,
  tables,
  leaveOut,
  isReplacing,
  ...headerFields
}: BackupParts &
  Pick<BackupHeader, 'program' | 'createdAt' | 'isCompressed'> & {
    /** Secrets to leave out; null: they stay in the backup, sealed. */
    readonly leaveOut: readonly Secret[] | null;
    /** True: an existing file of this name is replaced. */
    readonly isReplacing: boolean;
  }): Promise<{ readonly bytes: number; readonly header: BackupHeader }> => {
  const path = sqlitePath(db);
  const secrets = leaveOut ?? [];
  // Checked first, since opening a missing file would create it.
  if (path !== null) await stat(path);
  await checkSchema(db, leaveOut === null);
  const snapshot =
    path === null
      ? await (await import('./postgres.ts')).postgresSnapshot(db, { tables, secrets })
      : await (await import('./sqlite.ts')).sqliteSnapshot(path, { draft: file, secrets });
  try {
    const { migrations, counts, write } = snapshot;
    const header: BackupHeader = {
      ...headerFields,
      dialect: path === null ? 'postgres' : 'sqlite',
      withSecrets: leaveOut === null,
      leftOut: secrets.flatMap(({ description }, at) =>
        description && counts[at] ? [{ what: description, rows: counts[at] }] : [],
      ),
      migrations: [...migrations],
    };
    return { bytes: await writeBackup(file, header, { isReplacing, fill: write }), header };
  } finally {
    await snapshot.close();
  }
};

const migrationsOf = ({ migrations }: BackupHeader, known: readonly Migration[]): readonly Migration[] => {
  if (compareMigrations(known, migrations).isNewer)
    throw new SchemaError('newer', 'this backup was made by a newer Beckon; upgrade the program and restore it then');
  const names = new Set(migrations.map(({ name }) => name));
  return known.filter(({ name }) => names.has(name));
};

/**
 * Replaces a database with a backup: all of it, or nothing is changed.
 *
 * @throws BackupError, SchemaError, errors of `proof`, and errors of the database
 */
export const restoreBackup = async ({
  db,
  file,
  trustPath,
  proof,
  ...rest
}: BackupParts & Pick<Restoring, 'isForced' | 'proof'> & { readonly trustPath: boolean }): Promise<BackupHeader> => {
  const backup = await readBackup(file);
  try {
    const { header } = backup;
    const path = sqlitePath(db);
    if ((path === null) !== (header.dialect === 'postgres'))
      throw new BackupError(
        'dialect',
        `The backup is of ${header.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} and goes into no other database.`,
      );
    const known = shippedMigrations(header.dialect);
    const restoring: Restoring = {
      ...rest,
      known,
      migrations: migrationsOf(header, known),
      frames: backup.frames(),
      proof: header.withSecrets ? proof : null,
    };
    if (path === null) await (await import('./postgres.ts')).restorePostgres(db, restoring);
    else await (await import('./sqlite.ts')).restoreSqlite(path, trustPath, restoring);
    return header;
  } finally {
    await backup.close();
  }
};
