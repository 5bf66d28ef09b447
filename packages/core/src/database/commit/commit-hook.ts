// Work of the host program inside the transaction of a commit, or after it. Each database runs it in its own
// commit-hooks.ts, since SQLite works synchronously and PostgreSQL does not.

import { isUnavailable } from '../errors.ts';

/** A row from the driver, by column name. */
export type HostRow = Readonly<Record<string, unknown>>;

/**
 * The transaction of a commit, lent to the host for one call. One statement at a time, with the database's own
 * placeholders; statements that begin or end transactions throw TypeError. Throws StorageError; after that the
 * transaction is rolled back, even if the host catches the error.
 */
export type HostTransaction =
  | {
      readonly dialect: 'sqlite';
      /** Synchronous: the whole transaction takes one turn of the event loop. Placeholders are `?`. */
      query(sql: string, params?: readonly unknown[]): readonly HostRow[];
    }
  | {
      readonly dialect: 'postgres';
      /** Placeholders are `$1`. */
      query(sql: string, params?: readonly unknown[]): Promise<readonly HostRow[]>;
    };

/** A reaction of the host to a write set. */
export type CommitHook = {
  /** Items passed to the hook. If the call for all of them fails, the hook runs once per item. */
  readonly items: readonly unknown[];
  /**
   * Runs in the transaction, after all guards have passed. Not async on SQLite. It may run again for the same items
   * after its writes were rolled back.
   */
  inTransaction?(items: readonly unknown[], tx: HostTransaction): void | Promise<void>;
  /**
   * Decides about an item for which the hook threw: true commits the other items without it; false fails the commit
   * with HostReactionError. Absent: the commit always fails, and items are not tried one by one.
   */
  isSkipped?(item: unknown, error: HostReactionError): boolean;
  /** Runs after the commit is on disk. Throws nothing. */
  afterCommit?(): void;
};

/**
 * A reaction of the host threw `reason`. It is not stored as `cause`, since its error code is not one of this database.
 */
export class HostReactionError extends Error {
  override readonly name = 'HostReactionError';
  readonly reason: unknown;
  constructor(reason: unknown) {
    super(`a reaction of the host threw: ${reason instanceof Error ? reason.message : String(reason)}.`);
    this.reason = reason;
  }
}

/**
 * Wraps an error of the host's hook. An unavailable database is not the host's fault and keeps its error. Throws
 * nothing.
 */
export const hostError = (error: unknown): unknown =>
  isUnavailable(error) || error instanceof HostReactionError ? error : new HostReactionError(error);

const TRANSACTION_CONTROL =
  /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:abort|attach|begin|commit|detach|end|pragma|prepare|release|rollback|savepoint|start|vacuum)\b/i;

/** Throws TypeError for a statement that would begin or end a transaction, since others share it. */
export const checkHostStatement = (sql: string): void => {
  if (TRANSACTION_CONTROL.test(sql))
    throw new TypeError('the transaction belongs to Beckon: it can neither be begun nor ended here');
};
