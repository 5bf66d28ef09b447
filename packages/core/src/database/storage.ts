import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Committed, WriteSet } from './commit/write-set.ts';
import type { DialectName } from './dialect-name.ts';
import type { PostgresClient } from './postgres/host.ts';
import type { BulkSelect, SelectKey } from './statements/bulk.ts';
import type { Claimable, Claimed, LeaseKey } from './statements/claim.ts';
import type { BulkQuery } from './statements/sql-text.ts';
import type { Wake } from './wake.ts';

/** The query builder methods that both dialects share; the rest of drizzle is not used. */
export type Db = Pick<PgDatabase<PgQueryResultHKT>, 'select' | 'insert' | 'update' | 'delete'>;

/** Differences between the two databases that the query builder does not hide. */
export type Dialect = {
  readonly name: DialectName;
  /** One member of a JSON object as text; the key is always bound. */
  jsonText(column: SQL | { getSQL(): SQL }, key: string): SQL<string | null>;
  /** True for a violated unique or primary key, under any wrapper of the driver. */
  isUniqueViolation(error: unknown): boolean;
};

/** One database. All stores use it; no other code uses the driver. */
export type Storage = {
  readonly dialect: Dialect;
  /** For cold paths: builds its SQL on each call. Waits while a transaction is open. */
  readonly db: Db;
  /**
   * For long reads on cold paths. For a SQLite file they run in a thread, so that nothing waits; on PostgreSQL without
   * parallel workers, so that other work has a processor. A read sees what is on disk when its statement begins.
   */
  readonly readOnlyConnection: Pick<Db, 'select'>;
  /**
   * Runs `work` in one transaction with its own `Db`, which is unusable afterwards; any other use of the storage inside
   * throws. Throws errors of `work` after rolling back. A failed statement fails the transaction even if `work` caught
   * its error. It is not repeated after a lost race (see isRetryable).
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `work` within an open transaction of the host on `client`: reads and commits of this storage inside take part
   * in it, a commit as a savepoint, so its result is on disk with the host's COMMIT and not before. Claims and
   * transactions inside throw. PostgreSQL only; else, and for a client without a transaction, TypeError. Throws
   * CONFLICT `transaction_conflict` for a lost race, LOCK_TIMEOUT, and errors of `work`; the host's transaction is then
   * as it was before.
   */
  join<T>(client: PostgresClient, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` outside of a joined transaction, for reads whose result is cached longer than it. On a pool of the host
   * it runs inside, since no other connection may be available. Only for data that no joined call writes.
   */
  outsideTransaction<T>(work: () => T): T;
  /** Rows for a batch of keys by one fixed statement, in no order; a duplicate key returns its rows twice. */
  select<Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]): Promise<Row[]>;
  /** Rows of a read with its own text. */
  query<Values extends object, Row>(query: BulkQuery<Values, Row>, values: Values): Promise<Row[]>;
  /**
   * The entry point of hot writes: resolves when the plan is on disk (with `mayBeLost` when it is committed), or
   * returns the failed guards. A plan that lost a race is run again. Throws StorageError; after code 08007 the outcome
   * is unknown, after any other code nothing was kept.
   */
  commit(plan: WriteSet): Promise<Committed>;
  /**
   * Increases with each commit that another commit may have waited for: on SQLite, which writes one at a time, those of
   * this storage and of other programs on the same file; on PostgreSQL those of this storage.
   */
  commits(): number;
  /** How long a call currently waits for a connection, in milliseconds; always 0 on SQLite, which has one. */
  waitMs(): number;
  /** Leases up to `limit` due rows. One statement; durable when it resolves. */
  claim<Row>(claimable: Claimable<Row>, limit: number, leaseMs: number): Promise<Claimed<Row>[]>;
  /**
   * Extends current leases and returns those that are still held. A lease whose row is being written may be left
   * unchanged.
   */
  renew(claimable: Claimable<unknown>, leases: readonly LeaseKey[], leaseMs: number): Promise<LeaseKey[]>;
  /** Milliseconds until a row of the queue can be claimed, by the database's clock; null: none waits. */
  nextDueInMs(claimable: Claimable<unknown>): Promise<number | null>;
  /** The database's clock, or the injected one. */
  now(): Promise<Date>;
  /**
   * Removes remains of deleted rows from the files, as far as the database can. SQLite overwrites deleted data, but not
   * copies that it left while moving rows between pages: a file of up to 64 MB is rewritten, and the log is truncated.
   * On PostgreSQL, vacuum does it in time.
   */
  scrub(): Promise<void>;
  readonly wake: Wake;
  /** Finishes earlier calls; later ones throw StorageError `CLOSED`. May be called again. */
  close(): Promise<void>;
};
