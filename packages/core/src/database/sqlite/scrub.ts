import type { Connection } from './connection.ts';

/** Largest file that is vacuumed, which blocks other writers. Chosen: a quarter of a second. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/**
 * Removes copies of deleted rows from the file and its log. In a larger file, copies that SQLite made while moving rows
 * between pages stay, since VACUUM would block the program for too long. If another process reads, the log keeps its
 * content until a later checkpoint. Throws errors of SQLite.
 */
export const scrub = (connection: Connection): void => {
  // Safe: with `simple` a pragma returns one value, and these two are numbers.
  const [pages, size] = ['page_count', 'page_size'].map((name) => connection.pragma(name, { simple: true }) as number);
  if ((pages ?? 0) * (size ?? 0) <= MAX_BYTES) connection.exec('vacuum');
  connection.pragma('wal_checkpoint(TRUNCATE)');
};
