import type { Pool } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { localWake, type Wake } from '../wake.ts';

/** One channel for every queue; the payload is the queue's name. */
export const WAKE_CHANNEL = 'beckon_wake';

/** Delay before a lost listening connection is opened again. Chosen; polling continues meanwhile. */
const RECONNECT_MS = 1_000;

export type PostgresWake = Wake & {
  /** Stops listening. Throws nothing. */
  close(): Promise<void>;
};

/**
 * Wake signals over LISTEN/NOTIFY. Signals of commits are sent inside their transaction (apply.ts), so they arrive only
 * for durable data; `signal` here serves callers without a transaction. From the first `subscribe` on, one connection
 * of the pool listens.
 */
export const postgresWake = (
  pool: Pool,
  onError: (error: unknown) => void,
  {
    reconnectMs = RECONNECT_MS,
    listens = true,
  }: {
    readonly reconnectMs?: number;
    /** False behind a pooler that reassigns the listening session: signals would reach anybody, or nobody. */
    readonly listens?: boolean;
  } = {},
): PostgresWake => {
  const local = localWake();
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let listening: Promise<void> | undefined;

  const hear = contained(({ payload }: { payload?: string | undefined }) => {
    if (payload) local.signal([payload]);
  }, onError);
  const listenOnce = async (): Promise<void> => {
    const client = await pool.connect();
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
    });
    client.on('notification', hear);
    try {
      await Promise.race([lost, client.query(`listen ${WAKE_CHANNEL}`)]);
      await Promise.race([lost, closed.promise]);
    } finally {
      client.off('notification', hear);
      // Closed instead of returned, since it would go on listening for its next holder.
      client.release(true);
    }
  };
  const listen = async (): Promise<void> => {
    while (!isClosed) {
      try {
        await listenOnce();
      } catch (error) {
        if (isClosed) return;
        onError(error);
        const later = new Promise((resolve) => setTimeout(resolve, reconnectMs).unref());
        await Promise.race([later, closed.promise]);
      }
    }
  };

  return {
    subscribe: (listener) => {
      if (!isClosed && listens) listening ??= listen();
      return local.subscribe(listener);
    },
    signal: (topics) => {
      void pool.query('select pg_notify($1, t) from unnest($2::text[]) as t', [WAKE_CHANNEL, topics]).catch(onError);
    },
    close: async () => {
      isClosed = true;
      closed.resolve();
      await listening;
    },
  };
};
