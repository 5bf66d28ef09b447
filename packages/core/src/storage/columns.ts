import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';

/**
 * The column vocabulary: every table is described once with these words and read by both databases.
 * A new word goes into both objects, with a round-trip case in the storage contract.
 */
const pgColumns = {
  table: pg.pgTable,
  index: pg.index,
  unique: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
  text: (name: string) => pg.text(name),
  bool: (name: string) => pg.boolean(name),
  int: (name: string) => pg.integer(name),
  big: (name: string) => pg.bigint(name, { mode: 'number' }),
  real: (name: string) => pg.doublePrecision(name),
  json: <T>(name: string) => pg.jsonb(name).$type<T>(),
  time: (name: string) => pg.timestamp(name, { mode: 'date', withTimezone: true, precision: 3 }),
};

export type Columns = typeof pgColumns;

// The one schema cast: drizzle's builders answer the same calls in both dialects for every word above,
// which the storage contract proves by round-tripping each of them on both databases.
const sqliteColumns = {
  table: sqlite.sqliteTable,
  index: sqlite.index,
  unique: sqlite.uniqueIndex,
  primaryKey: sqlite.primaryKey,
  text: (name: string) => sqlite.text(name),
  bool: (name: string) => sqlite.integer(name, { mode: 'boolean' }),
  int: (name: string) => sqlite.integer(name),
  big: (name: string) => sqlite.integer(name),
  real: (name: string) => sqlite.real(name),
  json: <T>(name: string) => sqlite.text(name, { mode: 'json' }).$type<T>(),
  time: (name: string) => sqlite.integer(name, { mode: 'timestamp_ms' }),
} as unknown as Columns;

/** The vocabulary spoken by one database. Throws nothing. */
export const columnsOf = (dialect: 'sqlite' | 'postgres'): Columns =>
  dialect === 'sqlite' ? sqliteColumns : pgColumns;
