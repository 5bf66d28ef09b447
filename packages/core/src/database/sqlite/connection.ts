import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

export type Connection = Database.Database;
type Statement = Database.Statement;

/** Returns the prepared statement of a text; its rows are arrays. Throws errors of SQLite. */
export type Prepare = (text: string) => Statement;

/** What a commit survives: `full` a power loss, `process` only the death of the process. */
export type Durability = 'full' | 'process';

/** Prepared statements cached per connection. Chosen: several times the number in the program. */
const STATEMENTS = 500;

/** How long a statement waits for another process's lock, in milliseconds. Source: the ingest budget. */
export const BUSY_MS = 5_000;

/** Retries of a new file's switch to WAL, and their interval. Chosen: 2 s in all. */
const WAL_TRIES = 100;
const WAL_WAIT_MS = 20;

/** Unlike other statements, the switch to WAL fails at once while another process creates the same file. */
const useWal = (connection: Connection): void => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || attempt === WAL_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_WAIT_MS);
    }
  }
};

/** Opens a file (or `:memory:`) with the pragmas for the promised durability. Throws errors of SQLite. */
export const openConnection = (path: string, durability: Durability): Connection => {
  const connection = new Database(path);
  try {
    useWal(connection);
    connection.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    connection.pragma('foreign_keys = ON');
    connection.pragma(`busy_timeout = ${BUSY_MS}`);
    // Deleted data is overwritten, so that erasing a user leaves no copy in free pages.
    connection.pragma('secure_delete = ON');
    // Savepoints write a statement journal; as a file it would cost an open per commit.
    connection.pragma('temp_store = MEMORY');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

/** Prepared statements by text; the least recently used one is evicted. */
export const statements = (connection: Connection): Prepare => {
  const cache = new LRUCache<string, Statement>({ max: STATEMENTS });
  return (text) => {
    const existing = cache.get(text);
    if (existing) return existing;
    const made = connection.prepare(text);
    if (made.reader) made.raw(true);
    cache.set(text, made);
    return made;
  };
};
