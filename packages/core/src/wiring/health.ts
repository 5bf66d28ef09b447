import type { Health } from '../api.ts';
import { timeZoneData } from '../primitives/zone-clock.ts';
import type { OpenDatabase } from '../storage/open.ts';
import type { Workforce } from '../work/heartbeat.ts';

/** What is asked of the deployment's workers. */
export type AskWorkers = {
  /** Where this process does not work itself. */
  workforce(): Promise<Workforce>;
  /** The versions of their time-zone data, those of this process among them where it works. */
  timeZones(): Promise<readonly string[]>;
};

/**
 * How a service stands: whether its database answers and is of this version, whether somebody does the work, and whether
 * all who do have the same time-zone data. Throws nothing.
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
    const ready = isCurrent && worker.ok;
    return {
      ready,
      status: ready ? (timezones.ok ? 'ok' : 'degraded') : 'unready',
      checks: {
        database: { ok: true, detail: database.dialect },
        schema: { ok: isCurrent, detail },
        ...(isWorking || isCurrent ? { worker } : {}),
        timezones,
      },
    };
  } catch {
    const unreachable = { ok: false, detail: 'cannot be reached' };
    return { ready: false, status: 'unready', checks: { database: unreachable, timezones: own } };
  }
};
