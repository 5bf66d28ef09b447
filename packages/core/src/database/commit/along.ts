// What the host program does along with a commit of ours: in its transaction, or after it. The two databases run it in
// along.ts of their own folders, since one connection answers at once and the other does not.

import { isUnavailable } from '../errors.ts';

/** A row as the driver gives it, by the names of its columns. */
export type HostRow = Readonly<Record<string, unknown>>;

/**
 * The transaction of a commit, lent to the host for one call. One statement at a time, with the database's own
 * placeholders; statements that begin or end transactions throw TypeError. Throws StorageError, after which the
 * transaction is not kept even where the host catches it.
 */
export type HostTransaction =
  | {
      readonly dialect: 'sqlite';
      /** At once: the whole transaction is one turn of the event loop. Placeholders are `?`. */
      query(sql: string, params?: readonly unknown[]): readonly HostRow[];
    }
  | {
      readonly dialect: 'postgres';
      /** Placeholders are `$1`. */
      query(sql: string, params?: readonly unknown[]): Promise<readonly HostRow[]>;
    };

/** One reaction of the host to what a write set says. */
export type Along = {
  /** What it is told of, one by one where all of them together fail. */
  readonly items: readonly unknown[];
  /**
   * In the transaction, once every guard took effect. Not async on SQLite. It may be called again for the same items
   * after what it wrote was undone.
   */
  during?(items: readonly unknown[], tx: HostTransaction): void | Promise<void>;
  /**
   * Asked of an item for which `during` threw alone: true where the rest is committed without it; else the whole commit
   * fails with HostReactionError. Absent: it always does, and items are not tried one by one.
   */
  isGivenUp?(item: unknown, error: HostReactionError): boolean;
  /** Once all of it is on disk. Throws nothing. */
  after?(): void;
};

/** A reaction of the host threw `reason`. That is no `cause`: its code is not the code of an error of this database. */
export class HostReactionError extends Error {
  override readonly name = 'HostReactionError';
  readonly reason: unknown;
  constructor(reason: unknown) {
    super(`a reaction of the host threw: ${reason instanceof Error ? reason.message : String(reason)}.`);
    this.reason = reason;
  }
}

/** What `during` threw, as ours. A database that is away is nobody's fault and stays what it is. Throws nothing. */
export const hostError = (error: unknown): unknown =>
  isUnavailable(error) || error instanceof HostReactionError ? error : new HostReactionError(error);

const CONTROL =
  /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:abort|attach|begin|commit|detach|end|pragma|prepare|release|rollback|savepoint|start|vacuum)\b/i;

/** Throws TypeError for a statement that would end the transaction, which others share. */
export const checkHostStatement = (sql: string): void => {
  if (CONTROL.test(sql))
    throw new TypeError('the transaction belongs to Beckon: it can neither be begun nor ended here');
};
