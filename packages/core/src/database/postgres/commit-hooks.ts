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

/** The connection of an open transaction. */
type Client = { query(config: unknown): Promise<{ rows: unknown[] }> };
type HookState = { isOver: boolean; tail: Promise<unknown>; failure?: { readonly error: unknown } };

const transactionOf = (client: Client, state: HookState): HostTransaction => ({
  dialect: 'postgres',
  query: (sql, params = []) => {
    const send = async (): Promise<readonly HostRow[]> => {
      if (state.isOver) throw new Error('the transaction that this was lent for is over');
      checkHostStatement(sql);
      // The extended protocol takes one statement only, so no second statement can be hidden in it.
      const config = { text: sql, values: [...params], queryMode: 'extended' };
      const { rows } = await storageErrors.around(client.query(config));
      // Safe: without a row mode, the driver returns objects by column.
      return rows as HostRow[];
    };
    // One after the other, since node-postgres runs one statement at a time on a connection.
    const queued = state.tail.then(send);
    state.tail = queued.catch((error: unknown) => {
      state.failure ??= { error };
    });
    return queued;
  },
});

/** Returns undefined, or the reason for the rollback. Throws StorageError if the connection is lost. */
const attempt = async (
  client: Client,
  inTransaction: NonNullable<CommitHook['inTransaction']>,
  items: readonly unknown[],
): Promise<{ error: unknown } | undefined> => {
  const state: HookState = { isOver: false, tail: Promise.resolve() };
  await storageErrors.around(client.query('savepoint beckon_host'));
  try {
    await inTransaction(items, transactionOf(client, state));
    // Statements that the host did not await are part of it.
    await state.tail;
    if (state.failure) throw state.failure.error;
    await storageErrors.around(client.query('release savepoint beckon_host'));
    return undefined;
  } catch (error) {
    state.isOver = true;
    await state.tail;
    await storageErrors.around(client.query('rollback to savepoint beckon_host; release savepoint beckon_host'));
    return { error: hostError(error) };
  } finally {
    state.isOver = true;
  }
};

/**
 * Runs commit hooks inside an open transaction, each in a savepoint. Throws HostReactionError, and StorageError if the
 * database is out of reach.
 */
export const runCommitHooks = async (client: Client, { hooks = [] }: WriteSet): Promise<void> => {
  for (const { items, inTransaction, isSkipped } of hooks) {
    if (!inTransaction) continue;
    const failure = await attempt(client, inTransaction, items);
    if (!failure) continue;
    if (!isSkipped || !(failure.error instanceof HostReactionError)) throw failure.error;
    for (const item of items) {
      const { error } = (items.length === 1 ? failure : await attempt(client, inTransaction, [item])) ?? {};
      if (error !== undefined && !(error instanceof HostReactionError && isSkipped(item, error))) throw error;
    }
  }
};
