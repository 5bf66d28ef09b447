// The work of a reader thread: one SELECT on its own read-only connection, or a copy of the log into the file. It
// imports nothing of the program, since each thread would load it again.

import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** Cached statements. Chosen: long reads have few texts, but each predicate has its own. */
const STATEMENTS = 50;

type Reader = { readonly prepare: (text: string) => Database.Statement };
const readers = new Map<string, Reader>();

const readerOf = (path: string): Reader => {
  const known = readers.get(path);
  if (known) return known;
  const connection = new Database(path, { readonly: true });
  connection.pragma('temp_store = MEMORY');
  const cache = new LRUCache<string, Database.Statement>({ max: STATEMENTS });
  const prepare = (text: string): Database.Statement => {
    const made = cache.get(text) ?? connection.prepare(text).raw(true);
    cache.set(text, made);
    return made;
  };
  readers.set(path, { prepare });
  return { prepare };
};

const writers = new Map<string, Database.Database>();

/** One statement on one file. */
export type Reading = { readonly path: string; readonly text: string; readonly params: readonly unknown[] };
/** Rows as arrays, or the code of the driver's error: nothing else of an error crosses threads. */
export type ReadRows = { readonly rows: unknown[] } | { readonly code: string };

const answered = (rows: () => unknown[]): ReadRows => {
  try {
    return { rows: rows() };
  } catch (error) {
    if (error instanceof Database.SqliteError) return { code: error.code };
    throw error;
  }
};

/** Reads rows. Throws nothing that has a driver code. */
export const read = ({ path, text, params }: Reading): ReadRows =>
  answered(() => readerOf(path).prepare(text).all(params));

/** Maximum copies in a row. Chosen: each copies what was written during the one before, a tenth of it or less. */
const ROUNDS = 8;

/**
 * Copies the pages of the log that no reader needs, without blocking the writer. It repeats until nothing was written
 * meanwhile: only then does SQLite sync the file, and otherwise the writer, who copies the rest, would wait for all of
 * it. Throws as `read`.
 */
export const copyLog = ({ path }: Pick<Reading, 'path'>): ReadRows =>
  answered(() => {
    const connection = writers.get(path) ?? new Database(path, { fileMustExist: true });
    writers.set(path, connection);
    const log = connection.prepare('pragma wal_checkpoint(NOOP)').raw();
    for (let round = 0, before = -1; round < ROUNDS; round += 1) {
      connection.pragma('wal_checkpoint(PASSIVE)');
      // Safe: it returns three numbers: whether another copy runs, the pages of the log, and the copied pages.
      const [, all, copied = 0] = log.get() as number[];
      // Equal to the previous round: a reader needs the rest.
      if (copied === all || copied === before) break;
      before = copied;
    }
    return [];
  });
