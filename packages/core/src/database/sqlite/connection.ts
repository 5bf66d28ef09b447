import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

export type Connection = Database.Database;
type Statement = Database.Statement;

/** Gives the prepared statement of a text; what it reads are arrays. Throws what SQLite throws. */
export type Prepare = (text: string) => Statement;

/** What `durability` means to SQLite: power loss, or only the death of the process. */
export type Durability = 'full' | 'process';

/** Prepared statements kept per connection; ours, several times what the program has. */
const STATEMENTS = 500;

/** How long a statement waits for another process's lock, in milliseconds. Source: the ingest budget. */
export const BUSY_MS = 5_000;

/** How often, and after how long, a new file's switch to WAL is tried again; ours, 2 s in all. */
const WAL_TRIES = 100;
const WAL_WAIT_MS = 20;

/** Unlike other statements, the switch to WAL fails at once while another process makes the same file. */
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

/** Opens a file (or `:memory:`) with the pragmas that the durability promise needs. Throws what SQLite throws. */
export const openConnection = (path: string, durability: Durability): Connection => {
  const connection = new Database(path);
  try {
    useWal(connection);
    connection.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    connection.pragma('foreign_keys = ON');
    connection.pragma(`busy_timeout = ${BUSY_MS}`);
    // What is deleted is blanked: erasing somebody leaves no copy in free pages.
    connection.pragma('secure_delete = ON');
    // Savepoints spill their statement journal; in a file it costs an open per commit.
    connection.pragma('temp_store = MEMORY');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

/** Statement text to prepared statement, oldest out. */
export const statements = (connection: Connection): Prepare => {
  const cache = new LRUCache<string, Statement>({ max: STATEMENTS });
  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const made = connection.prepare(text);
    if (made.reader) made.raw(true);
    cache.set(text, made);
    return made;
  };
};
