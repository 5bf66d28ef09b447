import { LRUCache } from 'lru-cache';
import {
  type CommitHook,
  checkHostStatement,
  HostReactionError,
  type HostRow,
  type HostTransaction,
  hostError,
} from '../commit/commit-hook.ts';
import type { WriteSet } from '../commit/write-set.ts';
import { storageErrors } from '../errors.ts';
import type { Connection } from './connection.ts';

type Statement = ReturnType<Connection['prepare']>;

/** Prepared statements of the host that are cached. Chosen. */
const STATEMENTS = 100;

type HookState = { isOver: boolean; failure?: { readonly error: unknown } };

/**
 * Runs commit hooks inside an open transaction, each in a savepoint. Throws HostReactionError, and StorageError if the
 * database is out of reach.
 */
export const commitHookRunner = (connection: Connection): ((plan: WriteSet) => void) => {
  const cache = new LRUCache<string, Statement>({ max: STATEMENTS });
  const prepared = (sql: string): Statement => {
    const existing = cache.get(sql);
    if (existing) return existing;
    checkHostStatement(sql);
    const made = connection.prepare(sql);
    cache.set(sql, made);
    return made;
  };

  const transactionOf = (state: HookState): HostTransaction => ({
    dialect: 'sqlite',
    query: (sql, params = []) => {
      if (state.isOver) throw new Error('the transaction that this was lent for is over');
      try {
        const statement = storageErrors.sync(() => prepared(sql));
        // Safe: the host's statements are not in raw mode, so a row is an object by column.
        if (statement.reader) return storageErrors.sync(() => statement.all(params) as HostRow[]);
        storageErrors.sync(() => statement.run(params));
        return [];
      } catch (error) {
        state.failure = { error };
        throw error;
      }
    },
  });

  /** Returns undefined, or the reason for the rollback. */
  const attempt = (
    inTransaction: NonNullable<CommitHook['inTransaction']>,
    items: readonly unknown[],
  ): { error: unknown } | undefined => {
    const state: HookState = { isOver: false };
    connection.exec('savepoint beckon_host');
    try {
      const answer = inTransaction(items, transactionOf(state));
      if (answer instanceof Promise) {
        answer.catch(() => undefined);
        throw new TypeError('on SQLite what a host does during a transaction must not be async');
      }
      if (state.failure) throw state.failure.error;
      connection.exec('release beckon_host');
      return undefined;
    } catch (error) {
      // Some errors, such as a full disk, end the whole transaction.
      if (!connection.inTransaction) throw error;
      connection.exec('rollback to beckon_host; release beckon_host');
      return { error: hostError(error) };
    } finally {
      state.isOver = true;
    }
  };

  const run = ({ items, inTransaction, isSkipped }: CommitHook): void => {
    if (!inTransaction) return;
    const failure = attempt(inTransaction, items);
    if (!failure) return;
    if (!isSkipped || !(failure.error instanceof HostReactionError)) throw failure.error;
    for (const item of items) {
      const { error } = (items.length === 1 ? failure : attempt(inTransaction, [item])) ?? {};
      if (error !== undefined && !(error instanceof HostReactionError && isSkipped(item, error))) throw error;
    }
  };

  return ({ hooks = [] }) => {
    for (const one of hooks) run(one);
  };
};
