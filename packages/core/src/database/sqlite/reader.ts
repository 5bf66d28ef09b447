// What a reader thread does: one SELECT on a connection of its own, which can only read, or a copy of the log into the file.
// It imports nothing of ours, since each thread would pay for it again.

import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** Statement texts of long reads are few, but each predicate that somebody asks for has its own; ours. */
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
/** Rows as arrays, or the code of what the driver threw: of an error that crosses threads nothing else is left. */
export type ReadRows = { readonly rows: unknown[] } | { readonly code: string };

const answered = (rows: () => unknown[]): ReadRows => {
  try {
    return { rows: rows() };
  } catch (error) {
    if (error instanceof Database.SqliteError) return { code: error.code };
    throw error;
  }
};

/** Reads rows. Throws nothing that the driver throws with a code. */
export const read = ({ path, text, params }: Reading): ReadRows =>
  answered(() => readerOf(path).prepare(text).all(params));

/** Copies in a row at most. Ours: each has what was written during the one before, a tenth of that and less. */
const ROUNDS = 8;

/**
 * Copies what is in the log and nobody needs there, which holds up no writer. Until nothing was written meanwhile: only then
 * does SQLite sync the file, and else the writer, who copies what is left, would wait for all of it. Throws as `read`.
 */
export const copyLog = ({ path }: Pick<Reading, 'path'>): ReadRows =>
  answered(() => {
    const connection = writers.get(path) ?? new Database(path, { fileMustExist: true });
    writers.set(path, connection);
    const log = connection.prepare('pragma wal_checkpoint(NOOP)').raw();
    for (let round = 0, before = -1; round < ROUNDS; round += 1) {
      connection.pragma('wal_checkpoint(PASSIVE)');
      // Safe: it answers three numbers: whether another one copies, the pages of the log, and those that are copied.
      const [, all, copied = 0] = log.get() as number[];
      // Or somebody reads of the rest.
      if (copied === all || copied === before) break;
      before = copied;
    }
    return [];
  });
