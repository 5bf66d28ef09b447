// If a firewall drops a connection or a machine loses power, neither end is notified, and the system notices after a
// quarter of an hour. Until then the waiting calls occupy the pool, even if the database is reachable again.

import type { Client, Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';

/** Silence after which the server is asked whether it is still working. Chosen. */
const SILENT_MS = 4_000;
const CHECK_MS = 2_000;

/**
 * Which of these backends work or listen, according to the server; null: unknown, or it did not answer. A backend that
 * waits to write its answer counts as idle.
 */
type AskServer = (pids: readonly number[]) => Promise<ReadonlySet<number> | null>;

const BUSY_BACKENDS = `select pid, pid = pg_backend_pid() as own from pg_stat_activity
  where pid = pg_backend_pid() or pid = any($1::int[])
    and (state = 'active' and wait_event is distinct from 'ClientWrite' or query like 'listen %')`;

/** Uses a connection of its own, since those of the pool may all be silent. */
export const askServer =
  (newClient: () => Client): AskServer =>
  async (pids) => {
    const client = newClient();
    client.on(
      'error',
      contained(() => undefined),
    );
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number; own: boolean }>(BUSY_BACKENDS, [pids]);
      // Behind a pooler, backend ids are the pooler's own and prove nothing.
      const isDirect = rows.some(({ pid, own }) => own && pid === Reflect.get(client, 'processID'));
      return isDirect ? new Set(rows.map(({ pid }) => pid)) : null;
    } finally {
      // Not awaited: a server that does not answer does not close the connection either.
      contained(() => client.end())();
    }
  };

type Activity = { bytes: number; sinceMs: number };
/** The internals of a client that pg-pool itself uses. */
type Inner = { processID?: number; connection?: { stream?: { bytesRead?: number; destroy(): void } } };

/**
 * Closes lent connections that are silent while the server does no work for them: calls on them fail as on a lost
 * connection.
 *
 * @returns stops the watch
 */
export const watchSilence = (pool: Pool, ask: AskServer): (() => void) => {
  const lent = new Map<PoolClient, Activity>();
  // Safe: all fields are optional and checked.
  const innerOf = (client: PoolClient): Inner => client as unknown as Inner;
  const bytesOf = (client: PoolClient): number => innerOf(client).connection?.stream?.bytesRead ?? 0;
  let isAsking = false;

  const silent = (): Map<PoolClient, Activity> => {
    const found = new Map<PoolClient, Activity>();
    for (const [client, activity] of lent) {
      const bytes = bytesOf(client);
      if (bytes !== activity.bytes) lent.set(client, { bytes, sinceMs: performance.now() });
      else if (performance.now() - activity.sinceMs >= SILENT_MS) found.set(client, activity);
    }
    return found;
  };
  const closeSilent = async (): Promise<void> => {
    const found = silent();
    if (isAsking || found.size === 0) return;
    isAsking = true;
    try {
      const pids = [...found.keys()].map((client) => innerOf(client).processID ?? 0);
      const alive = await ask(pids);
      if (alive === null) return;
      for (const [client, { bytes }] of found) {
        const { processID = 0, connection } = innerOf(client);
        // A connection that was answered or returned meanwhile was not silent.
        const isSame = lent.get(client) === found.get(client) && bytesOf(client) === bytes;
        if (isSame && !alive.has(processID)) connection?.stream?.destroy();
      }
    } finally {
      isAsking = false;
    }
  };

  const onAcquire = contained((client: PoolClient) => {
    lent.set(client, { bytes: bytesOf(client), sinceMs: performance.now() });
  });
  const onRelease = contained((_: unknown, client: PoolClient) => lent.delete(client));
  pool.on('acquire', onAcquire);
  pool.on('release', onRelease);
  // An error means that the server does not answer; waiting calls learn that themselves.
  const timer = setInterval(
    contained(closeSilent, () => undefined),
    CHECK_MS,
  ).unref();
  return () => {
    clearInterval(timer);
    pool.off('acquire', onAcquire);
    pool.off('release', onRelease);
  };
};
