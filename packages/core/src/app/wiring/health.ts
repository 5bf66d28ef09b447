import type { OpenDatabase } from '../../database/open.ts';
import { timeZoneData } from '../../foundation/zone-clock.ts';
import type { Workforce } from '../../jobs/heartbeat.ts';
import type { Health } from '../api.ts';
import { MAX_SKEW_MS, skewInWords } from './database-clock.ts';

/** What is asked of the deployment's workers, and of this host's clock. */
export type AskWorkers = {
  /** Where this process does not work itself. */
  workforce(): Promise<Workforce>;
  /** The versions of their time-zone data, those of this process among them where it works. */
  timeZones(): Promise<readonly string[]>;
  /** How far this host's clock is ahead of the database's, in milliseconds; absent: both are one clock. */
  readonly hostAheadMs?: (() => number) | undefined;
};

const clockCheck = (aheadMs: number): { readonly ok: boolean; readonly detail: string } =>
  Math.abs(aheadMs) <= MAX_SKEW_MS
    ? { ok: true, detail: `${skewInWords(aheadMs)} the database's` }
    : {
        ok: false,
        detail: `this host's clock is ${skewInWords(aheadMs)} the database's: synchronise both with NTP`,
      };

/**
 * How a service stands. It is ready while its database answers and has the schema of this program. It is degraded while
 * workers are missing, while workers have different time-zone data, and while the clocks of host and database differ by
 * more than 5 s: a process that serves the API still takes requests then. Throws nothing.
 */
export const healthOf = async (database: OpenDatabase, isWorking: boolean, workers: AskWorkers): Promise<Health> => {
  const own = { ok: true, detail: timeZoneData };
  try {
    const { pending, isNewer } = await database.state();
    const isCurrent = pending.length === 0 && !isNewer;
    const detail = isCurrent ? 'current' : isNewer ? 'newer than this program' : `${pending.length} migrations missing`;
    // A database of another version may not have what tells of workers.
    const worker = isWorking || !isCurrent ? { ok: true, detail: 'in this process' } : await workers.workforce();
    const versions = isCurrent ? await workers.timeZones() : [];
    const timezones =
      versions.length <= 1 ? own : { ok: false, detail: `workers judge by ${versions.join(' and ')}: run one version` };
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
