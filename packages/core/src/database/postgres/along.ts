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

/** The connection of an open transaction. */
type Client = { query(config: unknown): Promise<{ rows: unknown[] }> };
type Turn = { isOver: boolean; tail: Promise<unknown>; failure?: { readonly error: unknown } };

const transactionOf = (client: Client, turn: Turn): HostTransaction => ({
  dialect: 'postgres',
  query: (sql, params = []) => {
    const ask = async (): Promise<readonly HostRow[]> => {
      if (turn.isOver) throw new Error('the transaction that this was lent for is over');
      checkHostStatement(sql);
      // The extended protocol takes one statement only, so nothing can hide behind the first.
      const config = { text: sql, values: [...params], queryMode: 'extended' };
      const { rows } = await storageErrors.around(client.query(config));
      // Safe: without a row mode the driver makes objects by column.
      return rows as HostRow[];
    };
    // One after the other, as node-postgres wants them of one connection.
    const asked = turn.tail.then(ask);
    turn.tail = asked.catch((error: unknown) => {
      turn.failure ??= { error };
    });
    return asked;
  },
});

/** Undefined, or why all of it was undone. Throws StorageError where the connection is lost. */
const attempt = async (
  client: Client,
  during: NonNullable<Along['during']>,
  items: readonly unknown[],
): Promise<{ error: unknown } | undefined> => {
  const turn: Turn = { isOver: false, tail: Promise.resolve() };
  await storageErrors.around(client.query('savepoint beckon_host'));
  try {
    await during(items, transactionOf(client, turn));
    // What the host asked and did not wait for is part of it.
    await turn.tail;
    if (turn.failure) throw turn.failure.error;
    await storageErrors.around(client.query('release savepoint beckon_host'));
    return undefined;
  } catch (error) {
    turn.isOver = true;
    await turn.tail;
    await storageErrors.around(client.query('rollback to savepoint beckon_host; release savepoint beckon_host'));
    return { error: hostError(error) };
  } finally {
    turn.isOver = true;
  }
};

/**
 * Runs what the host does within an open transaction, in savepoints of its own. Throws HostReactionError, and
 * StorageError where the database is out of reach.
 */
export const runAlong = async (client: Client, { along = [] }: WriteSet): Promise<void> => {
  for (const { items, during, isGivenUp } of along) {
    if (!during) continue;
    const failure = await attempt(client, during, items);
    if (!failure) continue;
    if (!isGivenUp || !(failure.error instanceof HostReactionError)) throw failure.error;
    for (const item of items) {
      const { error } = (items.length === 1 ? failure : await attempt(client, during, [item])) ?? {};
      if (error !== undefined && !(error instanceof HostReactionError && isGivenUp(item, error))) throw error;
    }
  }
};
