// Reports whether any worker runs, for processes that do not work themselves. A started worker writes heartbeats; a
// dead one counts as alive for the time of a lease and a margin.

import type { Claimable } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { contained } from '../foundation/contained.ts';
import type { Ids } from '../foundation/ids.ts';
import { timeZoneData } from '../foundation/zone-clock.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, RENEW_MS } from './registration.ts';
import { workerStore } from './store.ts';
import type { WorkTables } from './tables.ts';

/**
 * How long a worker counts as alive after its last heartbeat. Source: reliability promises (worker takeover within 35
 * s).
 */
const ALIVE_MS = LEASE_MS + 5_000;
/** When the row of a dead worker is deleted. Chosen. */
const FORGET_MS = 3_600_000;
/** How long due work may wait before it is reported. Chosen: twice the time of a takeover. */
const MAX_WAIT_MS = 60_000;

/** State of the deployment's workers. `ok` is false if work waits and no worker runs. */
export type Workforce = { readonly ok: boolean; readonly detail: string };

type ClockedStorage = Pick<Storage, 'db' | 'now' | 'nextDueInMs'>;

/** The heartbeat of this process's worker. `start` and `stop` are idempotent; `stop` throws nothing. */
export const heartbeat = ({
  storage,
  tables,
  ids,
  log,
  timeZoneVersion = timeZoneData,
}: {
  readonly storage: ClockedStorage;
  readonly tables: WorkTables;
  readonly ids: Ids;
  readonly log: Pick<WorkLog, 'warn'>;
  /** Version of its time-zone data. */
  readonly timeZoneVersion?: string;
}) => {
  const store = workerStore({ db: storage.db, tables });
  let id: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    if (id === undefined) return;
    const now = await storage.now();
    await store.recordSeen(id, now, timeZoneVersion);
    await store.removeSeenBefore(new Date(now.getTime() - FORGET_MS));
  };
  const logFailure = (error: unknown): void => log.warn({ error }, 'the worker could not say that it is there');
  const next = contained(() => {
    // One at a time: on a slow database, the next beat replaces this one.
    beating ??= beat()
      .catch(logFailure)
      .finally(() => {
        beating = undefined;
      });
  });

  return {
    start: (): void => {
      if (id !== undefined) return;
      id = ids.next();
      next();
      timer = setInterval(next, RENEW_MS).unref();
    },
    stop: async (): Promise<void> => {
      clearInterval(timer);
      const mine = id;
      id = undefined;
      await beating;
      if (mine !== undefined) await store.remove(mine).catch(logFailure);
    },
  };
};

/**
 * The versions of time-zone data of the deployment's workers, this process included. With more than one, quiet hours
 * depend on the worker. Throws StorageError.
 */
export const timeZonesOfWorkers = async ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'now'>;
  readonly tables: WorkTables;
}): Promise<readonly string[]> => {
  const now = await storage.now();
  return workerStore({ db: storage.db, tables }).timeZoneDataSince(new Date(now.getTime() - ALIVE_MS));
};

/**
 * Checks whether any worker runs: reads the heartbeats, and the due work only if there is none. Throws StorageError.
 */
export const workforce = async (
  { storage, tables }: { readonly storage: ClockedStorage; readonly tables: WorkTables },
  queues: readonly { readonly name: string; readonly claim: Claimable<unknown> }[],
): Promise<Workforce> => {
  const [lastSeenAt, now] = await Promise.all([workerStore({ db: storage.db, tables }).lastSeenAt(), storage.now()]);
  if (lastSeenAt !== null && now.getTime() - lastSeenAt.getTime() <= ALIVE_MS)
    return { ok: true, detail: 'in another process' };
  const due = await Promise.all(
    queues.map(async ({ name, claim }) => ({ name, waitedMs: -((await storage.nextDueInMs(claim)) ?? 0) })),
  );
  const [oldest] = due.sort((a, b) => b.waitedMs - a.waitedMs);
  if (!oldest || oldest.waitedMs <= MAX_WAIT_MS) return { ok: true, detail: 'nobody works, and nothing waits' };
  const seconds = Math.floor(oldest.waitedMs / 1_000);
  return { ok: false, detail: `nobody works, and ${oldest.name} have waited for ${seconds} s: start a worker` };
};
