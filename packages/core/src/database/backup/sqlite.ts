import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { migrate } from '../migrate.ts';
import { prepareFile } from '../sqlite/file.ts';
import { sqliteMigratable } from '../sqlite/migrate.ts';
import { connectionMutex } from '../sqlite/mutex.ts';
import { BackupError } from './error.ts';
import { syncFolder } from './file.ts';
import { blank, NO_WORKERS, quoted, type Restoring, type Secret, type Snapshot } from './parts.ts';

/** Copies all pages in one step: if another process wrote between two steps, SQLite would start over each time. */
const ALL_PAGES = 0x7f_ff_ff_ff;
/** Bytes of the file in one frame. Chosen. */
const FRAME_BYTES = 1_048_576;
const OWNER_ONLY = 0o600;
/** How long to wait for a lock, in milliseconds. Chosen: enough for a reader that is about to finish. */
const LOCK_MS = 500;

const checkIntegrity = (database: Database.Database): void => {
  const found = database.pragma('integrity_check', { simple: true });
  if (found !== 'ok') throw new BackupError('damaged', `The database is damaged: ${String(found).split('\n')[0]}.`);
};

const emptyFile = async (path: string): Promise<void> => (await open(path, 'wx', OWNER_ONLY)).close();

/** Removes secrets and the free pages that contained them. */
const strip = (database: Database.Database, secrets: readonly Secret[]): void => {
  for (const { table, where, columns } of secrets) {
    const values = Object.entries(columns ?? {}).map(([column, value]) => `${quoted(column)} = ${blank(value)}`);
    database.exec(
      columns === null
        ? `delete from ${quoted(table)} where ${where}`
        : `update ${quoted(table)} set ${values.join(', ')} where ${where}`,
    );
  }
  database.exec('vacuum');
};

/**
 * A copy of a SQLite file as of one moment, created next to `draft` while others write. It blocks this process while
 * pages are copied.
 */
export const sqliteSnapshot = async (
  path: string,
  { draft, secrets }: { readonly draft: string; readonly secrets: readonly Secret[] },
): Promise<Snapshot> => {
  const copy = `${draft}.${randomUUID()}.copy`;
  const source = new Database(path, { fileMustExist: true });
  try {
    await emptyFile(copy);
    await source.backup(copy, { progress: () => ALL_PAGES });
    const database = new Database(copy);
    try {
      database.pragma('journal_mode = delete');
      database.pragma('secure_delete = ON');
      const counts = secrets.map(({ table, where }) =>
        Number(
          database
            .prepare(`select count(*) from ${quoted(table)} where ${where}`)
            .pluck()
            .get(),
        ),
      );
      if (secrets.length > 0) strip(database, secrets);
      checkIntegrity(database);
      return {
        migrations: await sqliteMigratable(database, connectionMutex()).applied(),
        counts,
        write: async (writer) => {
          for await (const bytes of createReadStream(copy, { highWaterMark: FRAME_BYTES })) await writer.data(bytes);
        },
        close: () => rm(copy, { force: true }),
      };
    } finally {
      database.close();
    }
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  } finally {
    source.close();
  }
};

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);

const isEmpty = (database: Database.Database): boolean =>
  database
    .prepare<[], { name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .every(
      ({ name }) => name === 'beckon_migrations' || !database.prepare(`select 1 from ${quoted(name)} limit 1`).get(),
    );

/**
 * Takes exclusive access to a file and merges its log into it. SQLite refuses to leave WAL mode while any other process
 * has the file open, even an idle one.
 */
const takeOver = (path: string, isForced: boolean): Database.Database => {
  const database = new Database(path, { timeout: LOCK_MS });
  try {
    if (database.pragma('journal_mode = delete', { simple: true }) !== 'delete')
      throw new BackupError('in_use', 'The database is in use: stop the server and its workers first.');
    database.exec('begin exclusive');
    if (!isForced && !isEmpty(database))
      throw new BackupError(
        'not_empty',
        'The database is not empty, and a restore would delete its data. Restore into an empty database.',
      );
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error))
      throw new BackupError('in_use', 'The database is in use: stop the server and its workers first.');
    throw error;
  }
};

/** Replaces a SQLite file with a backup: all of it, or the old file stays. */
export const restoreSqlite = async (path: string, trustPath: boolean, restoring: Restoring): Promise<void> => {
  const { frames, known, isForced, proof } = restoring;
  const isThere = existsSync(path);
  prepareFile(path, trustPath);
  const old = takeOver(path, isForced);
  const draft = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(draft, 'wx', OWNER_ONLY);
    try {
      for await (const frame of frames) if ('data' in frame) await file.writeFile(frame.data);
    } finally {
      await file.close();
    }
    const database = new Database(draft);
    try {
      checkIntegrity(database);
      proof?.check(database.prepare(proof.sql).all());
      await migrate(sqliteMigratable(database, connectionMutex()), known);
      database.exec(NO_WORKERS);
    } finally {
      database.close();
    }
    const whole = await open(draft, 'r+');
    await whole.sync();
    await whole.close();
    await rename(draft, path);
    await syncFolder(path);
  } catch (error) {
    if (!isThere) await rm(path, { force: true });
    throw error;
  } finally {
    await rm(draft, { force: true });
    old.close();
  }
};
