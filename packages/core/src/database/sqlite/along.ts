import { LRUCache } from 'lru-cache';
import {
  type Along,
  checkHostStatement,
  HostReactionError,
  type HostRow,
  type HostTransaction,
  hostError,
} from '../commit/along.ts';
import type { WriteSet } from '../commit/write-set.ts';
import { storageErrors } from '../errors.ts';
import type { Connection } from './connection.ts';

type Statement = ReturnType<Connection['prepare']>;

/** Statements of the host that are kept prepared; ours. */
const STATEMENTS = 100;

type Turn = { isOver: boolean; failure?: { readonly error: unknown } };

/**
 * Runs what the host does within an open transaction, in savepoints of its own. Throws HostReactionError, and
 * StorageError where the database is out of reach.
 */
export const alongRunner = (connection: Connection): ((plan: WriteSet) => void) => {
  const cache = new LRUCache<string, Statement>({ max: STATEMENTS });
  const prepared = (sql: string): Statement => {
    const known = cache.get(sql);
    if (known) return known;
    checkHostStatement(sql);
    const made = connection.prepare(sql);
    cache.set(sql, made);
    return made;
  };

  const transactionOf = (turn: Turn): HostTransaction => ({
    dialect: 'sqlite',
    query: (sql, params = []) => {
      if (turn.isOver) throw new Error('the transaction that this was lent for is over');
      try {
        const statement = storageErrors.sync(() => prepared(sql));
        // Safe: statements of the host are not in raw mode, so a row is an object by column.
        if (statement.reader) return storageErrors.sync(() => statement.all(params) as HostRow[]);
        storageErrors.sync(() => statement.run(params));
        return [];
      } catch (error) {
        turn.failure = { error };
        throw error;
      }
    },
  });

  /** Undefined, or why all of it was undone. */
  const attempt = (during: NonNullable<Along['during']>, items: readonly unknown[]): { error: unknown } | undefined => {
    const turn: Turn = { isOver: false };
    connection.exec('savepoint beckon_host');
    try {
      const answer = during(items, transactionOf(turn));
      if (answer instanceof Promise) {
        answer.catch(() => undefined);
        throw new TypeError('on SQLite what a host does during a transaction must not be async');
      }
      if (turn.failure) throw turn.failure.error;
      connection.exec('release beckon_host');
      return undefined;
    } catch (error) {
      // A full disk, for one, ends the whole transaction by itself.
      if (!connection.inTransaction) throw error;
      connection.exec('rollback to beckon_host; release beckon_host');
      return { error: hostError(error) };
    } finally {
      turn.isOver = true;
    }
  };

  const run = ({ items, during, isGivenUp }: Along): void => {
    if (!during) return;
    const failure = attempt(during, items);
    if (!failure) return;
    if (!isGivenUp || !(failure.error instanceof HostReactionError)) throw failure.error;
    for (const item of items) {
      const { error } = (items.length === 1 ? failure : attempt(during, [item])) ?? {};
      if (error !== undefined && !(error instanceof HostReactionError && isGivenUp(item, error))) throw error;
    }
  };

  return ({ along = [] }) => {
    for (const one of along) run(one);
  };
};
