// Whether anybody works, for those who ask a process that does not work itself. A worker says so while it is started; one
// that died is believed for the time of a lease and a bit.

import type { Claimable } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { contained } from '../foundation/contained.ts';
import type { Ids } from '../foundation/ids.ts';
import { timeZoneData } from '../foundation/zone-clock.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, RENEW_MS } from './registration.ts';
import { workerStore } from './store.ts';
import type { WorkTables } from './tables.ts';

/** How long a worker is believed after it was seen. Source: reliability promises (worker takeover within 35 s). */
const ALIVE_MS = LEASE_MS + 5_000;
/** When a row of a dead worker goes; ours. */
const FORGET_MS = 3_600_000;
/** How long due work may wait before somebody has to know; ours, twice what a takeover takes. */
const MAX_WAIT_MS = 60_000;

/** What is known of the deployment's workers. `ok` is false where work waits and nobody does it. */
export type Workforce = { readonly ok: boolean; readonly detail: string };

type Dated = Pick<Storage, 'db' | 'now' | 'nextDueInMs'>;

/** The heartbeat of this process's worker. `start` and `stop` are idempotent; `stop` throws nothing. */
export const heartbeat = ({
  storage,
  tables,
  ids,
  log,
  judgesBy = timeZoneData,
}: {
  readonly storage: Dated;
  readonly tables: WorkTables;
  readonly ids: Ids;
  readonly log: Pick<WorkLog, 'warn'>;
  /** The version of its time-zone data. */
  readonly judgesBy?: string;
}) => {
  const store = workerStore({ db: storage.db, tables });
  let id: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    if (id === undefined) return;
    const now = await storage.now();
    await store.seen(id, now, judgesBy);
    await store.removeSeenBefore(new Date(now.getTime() - FORGET_MS));
  };
  const unheard = (error: unknown): void => log.warn({ error }, 'the worker could not say that it is there');
  const next = contained(() => {
    // One at a time: of a database that is slow the next beat says the same.
    beating ??= beat()
      .catch(unheard)
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
      if (mine !== undefined) await store.remove(mine).catch(unheard);
    },
  };
};

/**
 * The versions of time-zone data by which the deployment's workers judge, this process's among them; more than one, and
 * what is quiet depends on who looks. Throws StorageError.
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

/** Looks whether anybody works: at the heartbeats, and only where there is none at what is due. Throws StorageError. */
export const workforce = async (
  { storage, tables }: { readonly storage: Dated; readonly tables: WorkTables },
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
