import type { EventRow, ProfileRow } from './rows.ts';

/** One way to do what the hot statements do; all of it is durable when a call resolves. Throws when a guard fails. */
export type Side = {
  /** One profile by its key, whole; answers its version. */
  read(person: string): Promise<number>;
  /** The same by the query builder, where this side has one. */
  readBuilt(person: string): Promise<number>;
  insert(rows: readonly EventRow[]): Promise<void>;
  /** Events with the message ids of those that have one. */
  ingest(rows: readonly EventRow[]): Promise<void>;
  /** What is derived behind the ingest, where this side derives anything. */
  derive(): Promise<void>;
  change(rows: readonly ProfileRow[]): Promise<void>;
  /** Leases one batch of due messages and finishes it; answers how many there were. */
  claimAndFinish(): Promise<number>;
};
