import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Committed, WriteSet } from './commit/write-set.ts';
import type { DialectName } from './dialect-name.ts';
import type { PostgresClient } from './postgres/host.ts';
import type { BulkSelect, SelectKey } from './statements/bulk.ts';
import type { Claimable, Claimed, LeaseKey } from './statements/claim.ts';
import type { BulkQuery } from './statements/sql-text.ts';
import type { Wake } from './wake.ts';

/** What builders of both dialects answer alike; the rest of drizzle is outside the shared surface. */
export type Db = Pick<PgDatabase<PgQueryResultHKT>, 'select' | 'insert' | 'update' | 'delete'>;

/** What the builder cannot hide between the two databases. */
export type Dialect = {
  readonly name: DialectName;
  /** One member of a JSON object as text; the key is always bound, never part of the statement. */
  jsonText(column: SQL | { getSQL(): SQL }, key: string): SQL<string | null>;
  /** True for a violated unique or primary key, whatever the driver wrapped it in. */
  isUniqueViolation(error: unknown): boolean;
};

/** One database. All stores stand on it; nothing else talks to the driver. */
export type Storage = {
  readonly dialect: Dialect;
  /** For cold paths: builds its SQL on each call. Waits its turn while a transaction is open. */
  readonly db: Db;
  /**
   * For reads that take long, as cold as `db`: of a SQLite file in a thread of its own, so that nobody waits meanwhile, on
   * PostgreSQL without parallel workers, so that others have a processor left. Sees what is on disk as a statement begins.
   */
  readonly aside: Pick<Db, 'select'>;
  /**
   * Runs `work` alone in one transaction with its own `Db`, which is good for nothing afterwards; every other use of
   * the storage inside throws. Throws what `work` throws, after rolling back. A failed statement fails the transaction
   * even where `work` caught its error. Not run again after a lost race (see isRetryable).
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `work` within a transaction that the host has open on `client`: reads and commits of this storage inside take
   * part in it, a commit as a savepoint, so that what it resolves with is on disk with the host's COMMIT and not before.
   * Claims and transactions inside throw. PostgreSQL only; else, and for a client without a transaction, TypeError.
   * Throws CONFLICT `transaction_conflict` for a lost race, LOCK_TIMEOUT, and what `work` throws; the host's transaction
   * then is as it was before.
   */
  join<T>(client: PostgresClient, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` outside of a joined transaction, for reads that are remembered longer than that; over a pool of the
   * host's inside of it, since another connection may not be had. Of what no joined call writes.
   */
  apart<T>(work: () => T): T;
  /** Rows for a batch of keys by one fixed statement, in no order; a key given twice gives its rows twice. */
  select<Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]): Promise<Row[]>;
  /** Rows of a read that has a text of its own. */
  query<Values extends object, Row>(query: BulkQuery<Values, Row>, values: Values): Promise<Row[]>;
  /**
   * The one seam for hot writes: resolves when the plan is on disk (with `mayBeLost` when it is committed), or says which
   * guards failed. A plan that lost a race is run again. Throws StorageError; after code 08007 nobody knows whether the
   * plan was kept, after any other it was not.
   */
  commit(plan: WriteSet): Promise<Committed>;
  /**
   * Grows with each commit that another one may have had to wait for: on SQLite, where one is written at a time, those of
   * this storage and of other programs on the same file; on PostgreSQL those of this storage.
   */
  commits(): number;
  /** How long a call waits for a connection at this moment, in milliseconds; on SQLite, which has one, it stays 0. */
  waitMs(): number;
  /** Leases up to `limit` due rows. One statement; durable when it resolves. */
  claim<Row>(claimable: Claimable<Row>, limit: number, leaseMs: number): Promise<Claimed<Row>[]>;
  /**
   * Puts off the end of leases that are still ours; answers those that are. One whose row is being written at this
   * moment may be left as it is.
   */
  renew(claimable: Claimable<unknown>, leases: readonly LeaseKey[], leaseMs: number): Promise<LeaseKey[]>;
  /** Earliest moment at which a row of the queue can be claimed, by the database's clock; null: none waits. */
  nextDueInMs(claimable: Claimable<unknown>): Promise<number | null>;
  /** The database's clock, or the injected one where the host gave one. */
  now(): Promise<Date>;
  /**
   * Removes from the files what deleted rows left there, as far as the database can. SQLite blanks what is deleted, but
   * not the copies that it leaves where it moves rows between pages: a file of up to 64 MB is written anew, and the log
   * is emptied. PostgreSQL's own vacuum does it in its time.
   */
  scrub(): Promise<void>;
  readonly wake: Wake;
  /** Finishes what was asked before; what is asked afterwards throws StorageError `CLOSED`. May be called again. */
  close(): Promise<void>;
};
