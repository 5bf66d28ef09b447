import type { Pool, PoolClient, QueryConfig } from 'pg';
import { contained } from '../../primitives/contained.ts';
import { storageErrors } from '../errors.ts';

/** Something that runs one statement: the pool, or the connection of a transaction. */
export type Runner = { query(config: QueryConfig & { rowMode: 'array' }): Promise<{ rows: unknown[][] }> };

/**
 * Lends a connection of its own to `work` and takes it back whatever happens. After a throw the open transaction is
 * rolled back; a connection that was lost, or cannot even do that, is closed instead of lent again. Throws
 * StorageError when there is no connection, and what `work` throws.
 */
export const withClient = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await storageErrors.around(pool.connect());
  const state: { broken?: Error } = {};
  // A connection that ends while nothing is being asked of it says so here; unheard, that would end the process.
  const onError = contained((error: Error) => {
    state.broken = error;
  });
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    if (!state.broken) await client.query('rollback').catch(onError);
    throw error;
  } finally {
    client.release(state.broken);
    client.off('error', onError);
  }
};
