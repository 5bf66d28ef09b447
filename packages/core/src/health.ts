import type { Health } from './api.ts';
import type { OpenDatabase } from './storage/open.ts';
import type { Workforce } from './work/heartbeat.ts';

/**
 * How a service stands: whether its database answers and is of this version, and whether somebody does the work. Throws
 * nothing.
 *
 * @param workers asked where this process does not work itself
 */
export const healthOf = async (
  database: OpenDatabase,
  isWorking: boolean,
  workers: () => Promise<Workforce>,
): Promise<Health> => {
  const timezones = { ok: true, detail: process.versions.tz ?? 'unknown' };
  try {
    const { pending, isNewer } = await database.state();
    const isCurrent = pending.length === 0 && !isNewer;
    const detail = isCurrent ? 'current' : isNewer ? 'newer than this program' : `${pending.length} migrations missing`;
    // A database of another version may not have what tells of workers.
    const worker = isWorking || !isCurrent ? { ok: true, detail: 'in this process' } : await workers();
    return {
      ready: isCurrent && worker.ok,
      checks: {
        database: { ok: true, detail: database.dialect },
        schema: { ok: isCurrent, detail },
        ...(isWorking || isCurrent ? { worker } : {}),
        timezones,
      },
    };
  } catch {
    return { ready: false, checks: { database: { ok: false, detail: 'cannot be reached' }, timezones } };
  }
};
