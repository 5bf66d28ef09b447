// Background work of a process: its queues, maintenance and heartbeat, and reads of their state.

import { AI_CALLS } from '../automation/ai/queue.ts';
import { RUNS } from '../automation/runs/start.ts';
import { MAX_SKEW_MS, skewInWords } from '../database/database-clock.ts';
import type { OpenDatabase } from '../database/open.ts';
import type { Storage } from '../database/storage.ts';
import { endsWithin } from '../foundation/ends-within.ts';
import type { Ids } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import { inOrder } from '../foundation/modules.ts';
import type { Tracing } from '../foundation/telemetry.ts';
import { timeZoneData } from '../foundation/zone-clock.ts';
import { heartbeat, timeZonesOfWorkers, type Workforce, workforce } from '../jobs/heartbeat.ts';
import { type MaintenanceTask, maintenance } from '../jobs/maintenance.ts';
import { overdueMs, queueState } from '../jobs/store.ts';
import { type MakeQueue, STOP_MS, worker } from '../jobs/worker.ts';
import { MESSAGES_QUEUE, SENDS_QUEUE } from '../messaging/sends/schema.ts';
import { CHECKS } from '../people/audiences/membership-changes.ts';
import { AUDIENCES } from '../people/audiences/records.ts';
import { RAISED } from '../people/events/emit.ts';
import { ERASURES_QUEUE } from '../platform/erasure/erasure.ts';
import { WEBHOOKS_QUEUE } from '../webhooks/schema.ts';
import type { Health } from './answers.generated.ts';
import type { Beckon } from './api.ts';
import type { Tables } from './tables.ts';

/** Default polling interval of a queue, in addition to wake signals. Chosen: polling is only the fallback. */
const POLL_MS = 1_000;

/** Order in which a drain visits the queues. */
export const QUEUE_ORDER = [
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

/** Queues with jobs that events cause directly: their lateness is the lag of the service. */
const CAUSED_BY_EVENTS: ReadonlySet<string> = new Set([MESSAGES_QUEUE, RUNS, RAISED]);

/** Order of one round of maintenance. */
export const MAINTENANCE_ORDER = [
  'index over people',
  'events and tokens of merged people',
  'message ids',
  'idempotency keys',
  'counted events',
  'retention',
  'shared buckets of calls',
  'callbacks',
  'geofence crossings',
  'live activities',
  'frequency caps',
  'email domains',
  'tokens of models',
  'sign-in',
  'sso domains',
  'saml assertions',
  'webhook deliveries',
  'roll-ups',
  'roll-ups of sends',
  'roll-ups past their time',
] as const;

type WorkParts = {
  readonly database: OpenDatabase;
  readonly storage: Storage;
  readonly tables: Tables;
  readonly ids: Ids;
  readonly log: Log;
  readonly tracing: Tracing | null;
  readonly pollMs: number | undefined;
  /** Of all modules. */
  readonly queues: readonly MakeQueue[];
  readonly maintenance: readonly MaintenanceTask[];
  /** How far this host's clock is ahead of the database's; absent: both are one clock. */
  readonly hostAheadMs?: (() => number) | undefined;
  /** Whether a drain also runs maintenance; called each time. */
  readonly maintenanceIsDue: () => boolean;
};

/**
 * Creates the worker without starting it. Throws an Error for a queue or a maintenance task that the orders above lack.
 */
export const buildWork = (
  parts: WorkParts,
): Pick<Beckon, 'worker' | 'health' | 'queues'> & {
  /** How long the first row of the queues that events cause has been due. Throws what the database throws. */
  lagMs(): Promise<number>;
} => {
  const { storage, tables, ids, log, tracing } = parts;
  const options = { storage, log, tracing, pollMs: parts.pollMs ?? POLL_MS };
  const queues = inOrder(
    QUEUE_ORDER,
    parts.queues.map((make) => make(options)),
  );
  const urgent = queues.filter(({ name }) => CAUSED_BY_EVENTS.has(name));
  const work = worker(queues);
  const maintenanceLoop = maintenance(inOrder(MAINTENANCE_ORDER, parts.maintenance), log);
  const beats = heartbeat({ storage, tables, ids, log });
  let isWorking = false;
  let stopped: Promise<void> | undefined;
  const stop = async (timeoutMs: number): Promise<void> => {
    isWorking = false;
    const [, isMaintained] = await Promise.all([
      work.stop({ timeoutMs }),
      endsWithin(maintenanceLoop.stop(), timeoutMs),
    ]);
    if (!isMaintained) log.warn({}, 'maintenance was cut off at the time limit');
    await beats.stop();
  };
  const start = (): void => {
    isWorking = true;
    stopped = undefined;
    work.start();
    maintenanceLoop.start();
    beats.start();
  };
  return {
    worker: {
      // The loops outlive the host's active span.
      start: tracing ? () => tracing.detached(start) : start,
      // The following close does not wait again for what a stop has abandoned.
      stop: ({ timeoutMs = STOP_MS } = {}) => {
        stopped ??= stop(timeoutMs);
        return stopped;
      },
      drain: async () => {
        stopped = undefined;
        const handled = await work.drain();
        if (parts.maintenanceIsDue()) await maintenanceLoop.run();
        return handled;
      },
    },
    health: () =>
      healthOf(parts.database, isWorking, {
        workforce: () => workforce({ storage, tables }, queues),
        timeZones: () => timeZonesOfWorkers({ storage, tables }),
        hostAheadMs: parts.hostAheadMs,
      }),
    lagMs: async () => Math.max(0, ...(await Promise.all(urgent.map(({ claim }) => overdueMs(storage, claim))))),
    queues: async () => ({ data: await Promise.all(queues.map(({ claim }) => queueState(storage, claim))) }),
  };
};

/** Reads about the deployment's workers and this host's clock. */
export type AskWorkers = {
  /** Used if this process does not work itself. */
  workforce(): Promise<Workforce>;
  /** Versions of the workers' time zone data, including this process if it works. */
  timeZones(): Promise<readonly string[]>;
  /** How far this host's clock is ahead of the database's, in milliseconds; absent: both are one clock. */
  readonly hostAheadMs?: (() => number) | undefined;
};

const clockCheck = (aheadMs: number): { readonly ok: boolean; readonly detail: string } =>
  Math.abs(aheadMs) <= MAX_SKEW_MS
    ? { ok: true, detail: `${skewInWords(aheadMs)} the database's` }
    : {
        ok: false,
        detail: `this host's clock is ${skewInWords(aheadMs)} the database's: synchronize both with NTP`,
      };

/**
 * Health of a service. It is ready while its database responds and has the schema of this program. It is degraded while
 * workers are missing, while workers have different time zone data, and while the clocks of host and database differ by
 * more than 5 s: a process that serves the API still accepts requests then. Throws nothing.
 */
export const healthOf = async (database: OpenDatabase, isWorking: boolean, workers: AskWorkers): Promise<Health> => {
  const own = { ok: true, detail: timeZoneData };
  try {
    const { pending, isNewer } = await database.state();
    const isCurrent = pending.length === 0 && !isNewer;
    const detail = isCurrent ? 'current' : isNewer ? 'newer than this program' : `${pending.length} migrations missing`;
    // A database of another version may lack the data about workers.
    const worker = isWorking || !isCurrent ? { ok: true, detail: 'in this process' } : await workers.workforce();
    const versions = isCurrent ? await workers.timeZones() : [];
    const timezones =
      versions.length <= 1
        ? own
        : {
            ok: false,
            detail: `workers have different time zone data (${versions.join(' and ')}): run one version of Node`,
          };
    const clock = workers.hostAheadMs === undefined ? undefined : clockCheck(workers.hostAheadMs());
    const isFine = worker.ok && timezones.ok && (clock?.ok ?? true);
    return {
      ready: isCurrent,
      status: isCurrent ? (isFine ? 'ok' : 'degraded') : 'unready',
      checks: {
        database: { ok: true, detail: database.dialect },
        schema: { ok: isCurrent, detail },
        ...(isWorking || isCurrent ? { worker } : {}),
        timezones,
        ...(clock ? { clock } : {}),
      },
    };
  } catch {
    const unreachable = { ok: false, detail: 'cannot be reached' };
    return { ready: false, status: 'unready', checks: { database: unreachable, timezones: own } };
  }
};
