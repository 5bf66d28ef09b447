import type { Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { isReadOnly, StorageError, storageErrors } from '../errors.ts';
import { connectInTime, type Lent, within } from './deadlines.ts';

/** Timeout of a rollback. Chosen: it waits for the round trip only. */
const ROLLBACK_MS = 1_000;
const LOST = '08006';

/**
 * Runs `work` with a connection of its own. After an error the open transaction is rolled back. A connection is closed
 * instead of reused if it was lost, cannot roll back, or belongs to a server that accepts no writes. Throws
 * StorageError if there is no connection (in time), and errors of `work`.
 */
export const withClient = async <T>(
  pool: Pool,
  work: (client: PoolClient, lent: Lent) => Promise<T>,
  untilMs: number = Number.POSITIVE_INFINITY,
): Promise<T> => {
  const client = await storageErrors.around(connectInTime(pool, untilMs));
  const state: { broken?: Error } = {};
  // A connection that ends while idle emits this event; without a listener it would end the process.
  const onError = contained((error: Error) => {
    state.broken = error;
  });
  client.on('error', onError);
  try {
    return await work(client, { client, discard: onError });
  } catch (error) {
    if (!state.broken) {
      const undone = client.query('rollback');
      await within(ROLLBACK_MS, undone, () => new StorageError(LOST)).catch(onError);
    }
    // A demoted primary would be used again and again, while new connections reach its successor.
    if (isReadOnly(error)) state.broken = error;
    throw error;
  } finally {
    client.release(state.broken);
    client.off('error', onError);
  }
};
