import type { EventRow, ProfileRow } from './rows.ts';

/** One implementation of the hot statements; everything is durable when a call resolves. Throws if a guard fails. */
export type Side = {
  /** One profile by its key, whole; returns its version. */
  read(person: string): Promise<number>;
  /** The same by the query builder, if this side has one. */
  readBuilt(person: string): Promise<number>;
  insert(rows: readonly EventRow[]): Promise<void>;
  /** Events with the message ids of those that have one. */
  ingest(rows: readonly EventRow[]): Promise<void>;
  /** The index that is built after the ingest, if this side has one. */
  derive(): Promise<void>;
  change(rows: readonly ProfileRow[]): Promise<void>;
  /** Leases one batch of due messages and finishes it; returns the number. */
  claimAndFinish(): Promise<number>;
};
