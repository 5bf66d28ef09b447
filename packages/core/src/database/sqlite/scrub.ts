import type { Connection } from './connection.ts';

/** Of a file that is written anew, which nobody else writes to meanwhile; ours: a quarter of a second. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/**
 * Leaves no copy of deleted rows in the file and its log. In a larger file those stay that SQLite made as it moved rows
 * between pages: VACUUM would stop the program for too long. Where another process reads, what is in the log stays until
 * a later checkpoint. Throws what SQLite throws.
 */
export const scrub = (connection: Connection): void => {
  // Safe: with `simple` a pragma answers its one value, and these two are numbers.
  const [pages, size] = ['page_count', 'page_size'].map((name) => connection.pragma(name, { simple: true }) as number);
  if ((pages ?? 0) * (size ?? 0) <= MAX_BYTES) connection.exec('vacuum');
  connection.pragma('wal_checkpoint(TRUNCATE)');
};
