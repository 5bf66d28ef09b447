import type { Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { isReadOnly, StorageError, storageErrors } from '../errors.ts';
import { connectInTime, type Lent, within } from './in-time.ts';

/** How long undoing may take; ours: it waits for nothing but the way there and back. */
const ROLLBACK_MS = 1_000;
const LOST = '08006';

/**
 * Lends a connection of its own to `work` and takes it back whatever happens. After a throw the open transaction is
 * rolled back; a connection that was lost, cannot even do that, or leads to a server that takes no writes, is closed
 * instead of lent again. Throws StorageError when there is no connection (in time), and what `work` throws.
 */
export const withClient = async <T>(
  pool: Pool,
  work: (client: PoolClient, lent: Lent) => Promise<T>,
  untilMs: number = Number.POSITIVE_INFINITY,
): Promise<T> => {
  const client = await storageErrors.around(connectInTime(pool, untilMs));
  const state: { broken?: Error } = {};
  // A connection that ends while nothing is being asked of it says so here; unheard, that would end the process.
  const onError = contained((error: Error) => {
    state.broken = error;
  });
  client.on('error', onError);
  try {
    return await work(client, { client, giveUp: onError });
  } catch (error) {
    if (!state.broken) {
      const undone = client.query('rollback');
      await within(ROLLBACK_MS, undone, () => new StorageError(LOST)).catch(onError);
    }
    // A standby that has stayed one would be asked again and again, while new connections lead to its successor.
    if (isReadOnly(error)) state.broken = error;
    throw error;
  } finally {
    client.release(state.broken);
    client.off('error', onError);
  }
};
