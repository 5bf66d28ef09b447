// What a process does by itself: its queues, upkeep and heartbeat, and what can be asked about them.

import { AI_CALLS } from '../../automation/ai/queue.ts';
import { RUNS } from '../../automation/runs/start.ts';
import type { OpenDatabase } from '../../database/open.ts';
import type { Claimable } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import { endsWithin } from '../../foundation/ends-within.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { heartbeat, timeZonesOfWorkers, workforce } from '../../jobs/heartbeat.ts';
import { maintenance, type Upkeep } from '../../jobs/maintenance.ts';
import { overdueMs, queueState } from '../../jobs/store.ts';
import { type Queue, STOP_MS, type WorkerOptions, worker } from '../../jobs/worker.ts';
import { MESSAGES_QUEUE, SENDS_QUEUE } from '../../messaging/sends/schema.ts';
import { CHECKS } from '../../people/audiences/moves.ts';
import { AUDIENCES } from '../../people/audiences/records.ts';
import { RAISED } from '../../people/events/emit.ts';
import { ERASURES_QUEUE } from '../../platform/erasure/erasure.ts';
import { WEBHOOKS_QUEUE } from '../../webhooks/schema.ts';
import type { Beckon } from '../api.ts';
import { inOrder } from '../module.ts';
import type { Tables } from '../tables.ts';
import { healthOf } from './health.ts';

/** How often a queue is looked at besides being woken, where the host says nothing; ours. */
const POLL_MS = 1_000;

/** The order in which a drain looks at queues. */
const QUEUE_ORDER = [
  MESSAGES_QUEUE,
  SENDS_QUEUE,
  RUNS,
  RAISED,
  AUDIENCES,
  CHECKS,
  AI_CALLS,
  WEBHOOKS_QUEUE,
  ERASURES_QUEUE,
] as const;

export type AtWorkDeps = {
  readonly database: OpenDatabase;
  readonly storage: Storage;
  readonly tables: Tables;
  readonly ids: Ids;
  readonly log: Log;
  readonly pollMs: number | undefined;
  readonly queues: (options: WorkerOptions) => readonly Queue[];
  /** Those of what events set off. */
  readonly setOff: readonly Claimable<unknown>[];
  /** How far this host's clock is ahead of the database's; absent: both are one clock. */
  readonly hostAheadMs?: (() => number) | undefined;
  readonly upkeep: readonly Upkeep[];
  /** Whether a drain does upkeep as well, asked each time. */
  readonly upkeepIsDue: () => boolean;
};

/** Nothing of it is started yet. */
export const atWorkOf = (
  deps: AtWorkDeps,
): Pick<Beckon, 'worker' | 'health' | 'queues'> & {
  /** How long the first of what events set off has been due. Throws what the database throws. */
  behindMs(): Promise<number>;
} => {
  const { storage, tables, ids, log } = deps;
  const queues = inOrder(QUEUE_ORDER, deps.queues({ storage, log, pollMs: deps.pollMs ?? POLL_MS }));
  const work = worker(queues);
  const upkeep = maintenance(deps.upkeep, log);
  const beats = heartbeat({ storage, tables, ids, log });
  let isWorking = false;
  let stopped: Promise<void> | undefined;
  const stop = async (timeoutMs: number): Promise<void> => {
    isWorking = false;
    const [, isMaintained] = await Promise.all([work.stop({ timeoutMs }), endsWithin(upkeep.stop(), timeoutMs)]);
    if (!isMaintained) log.warn({}, 'maintenance was cut off at the time limit');
    await beats.stop();
  };
  return {
    worker: {
      start: () => {
        isWorking = true;
        stopped = undefined;
        work.start();
        upkeep.start();
        beats.start();
      },
      // What a stop has given up, the close that follows does not wait for again.
      stop: ({ timeoutMs = STOP_MS } = {}) => {
        stopped ??= stop(timeoutMs);
        return stopped;
      },
      drain: async () => {
        stopped = undefined;
        const handled = await work.drain();
        if (deps.upkeepIsDue()) await upkeep.run();
        return handled;
      },
    },
    health: () =>
      healthOf(deps.database, isWorking, {
        workforce: () => workforce({ storage, tables }, queues),
        timeZones: () => timeZonesOfWorkers({ storage, tables }),
        hostAheadMs: deps.hostAheadMs,
      }),
    behindMs: async () => Math.max(0, ...(await Promise.all(deps.setOff.map((claim) => overdueMs(storage, claim))))),
    queues: () => Promise.all(queues.map(({ claim }) => queueState(storage, claim))),
  };
};
