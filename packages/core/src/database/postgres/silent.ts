// A firewall that forgets, a machine that loses its power: nobody tells either end of a connection, and the system finds out
// after a quarter of an hour. Meanwhile whoever waits keeps its place in the pool, also when the database is in reach again.

import type { Client, Pool, PoolClient } from 'pg';
import { contained } from '../../foundation/contained.ts';

/** After so long without a byte the server is asked whether it is at it still; ours. */
const SILENT_MS = 4_000;
const LOOK_MS = 2_000;

/**
 * Which of these backends the server knows to be at work, or to listen; null: it cannot tell, or did not answer. One that
 * has nobody to write its answer to is at nothing.
 */
type AskServer = (pids: readonly number[]) => Promise<ReadonlySet<number> | null>;

const ASK = `select pid, pid = pg_backend_pid() as own from pg_stat_activity
  where pid = pg_backend_pid() or pid = any($1::int[])
    and (state = 'active' and wait_event is distinct from 'ClientWrite' or query like 'listen %')`;

/** Asks over a connection of its own, since those of the pool may all be silent. */
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
      const { rows } = await client.query<{ pid: number; own: boolean }>(ASK, [pids]);
      // Behind a pooler the ids that connections were told are the pooler's own: nothing can be said of them.
      const isDirect = rows.some(({ pid, own }) => own && pid === Reflect.get(client, 'processID'));
      return isDirect ? new Set(rows.map(({ pid }) => pid)) : null;
    } finally {
      // Not waited for: a server that does not answer does not say goodbye either.
      contained(() => client.end())();
    }
  };

type Heard = { bytes: number; sinceMs: number };
/** What pg-pool itself uses of a client. */
type Inner = { processID?: number; connection?: { stream?: { bytesRead?: number; destroy(): void } } };

/**
 * Closes connections that are lent and silent while the server is at nothing for them: what waits for them fails as for a
 * connection that was lost.
 *
 * @returns ends it
 */
export const watchSilence = (pool: Pool, ask: AskServer): (() => void) => {
  const lent = new Map<PoolClient, Heard>();
  // Safe: these are optional here, and looked at.
  const innerOf = (client: PoolClient): Inner => client as unknown as Inner;
  const bytesOf = (client: PoolClient): number => innerOf(client).connection?.stream?.bytesRead ?? 0;
  let isAsking = false;

  const silent = (): Map<PoolClient, Heard> => {
    const found = new Map<PoolClient, Heard>();
    for (const [client, heard] of lent) {
      const bytes = bytesOf(client);
      if (bytes !== heard.bytes) lent.set(client, { bytes, sinceMs: performance.now() });
      else if (performance.now() - heard.sinceMs >= SILENT_MS) found.set(client, heard);
    }
    return found;
  };
  const look = async (): Promise<void> => {
    const found = silent();
    if (isAsking || found.size === 0) return;
    isAsking = true;
    try {
      const pids = [...found.keys()].map((client) => innerOf(client).processID ?? 0);
      const alive = await ask(pids);
      if (alive === null) return;
      for (const [client, { bytes }] of found) {
        const { processID = 0, connection } = innerOf(client);
        // What has been answered or given back meanwhile was not silent.
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
  // An error here is a server that does not answer, which those who wait for it are told by themselves.
  const timer = setInterval(
    contained(look, () => undefined),
    LOOK_MS,
  ).unref();
  return () => {
    clearInterval(timer);
    pool.off('acquire', onAcquire);
    pool.off('release', onRelease);
  };
};
