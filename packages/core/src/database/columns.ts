import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';
import { isRowId, NO_ROW_ID } from '../foundation/ids.ts';
import type { Environment } from '../foundation/scope.ts';
import { packClientId, unpackClientId } from './client-id.ts';

/** A value that is no id of ours is compared as one that no row has: PostgreSQL would end the statement over it. */
const pgId = pg.customType<{ data: string; driverData: string }>({
  dataType: () => 'uuid',
  toDriver: (value) => (isRowId(value) ? value : NO_ROW_ID),
});
const clientIds = { dataType: () => 'text', toDriver: packClientId, fromDriver: unpackClientId };
const pgClientId = pg.customType<{ data: string; driverData: string }>(clientIds);
const sqliteClientId = sqlite.customType<{ data: string; driverData: string }>(clientIds);

/**
 * The column vocabulary: every table is described once with these words and read by both databases.
 * A new word goes into both objects, with a round-trip case in the storage contract.
 */
const pgColumns = {
  table: pg.pgTable,
  index: pg.index,
  unique: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
  /** Indexes and keys that PostgreSQL alone has. */
  onPostgres: <T>(...indexes: readonly T[]): readonly T[] => indexes,
  /** The number of a row that databases give out themselves, its primary key; never given twice. */
  serial: (name: string) => pg.serial(name).primaryKey(),
  /** The order of writing, given out by the database. Primary key on SQLite; on PostgreSQL the table names its own. */
  position: (name: string) => pg.bigint(name, { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  /** The scope or the project that a row belongs to. */
  scope: (name: string) => pg.integer(name),
  /** Ids that `Ids` made. */
  id: (name: string) => pgId(name),
  /** Ids that clients made: compared whole, never by a part of them. */
  clientId: (name: string) => pgClientId(name),
  environment: (name: string) => pg.text(name).$type<Environment>(),
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
  onPostgres: () => [],
  serial: (name: string) => sqlite.integer(name).primaryKey({ autoIncrement: true }),
  // The rowid itself: no index, no counter.
  position: (name: string) => sqlite.integer(name).primaryKey(),
  scope: (name: string) => sqlite.integer(name),
  id: (name: string) => sqlite.text(name),
  clientId: (name: string) => sqliteClientId(name),
  environment: (name: string) => sqlite.text(name).$type<Environment>(),
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
