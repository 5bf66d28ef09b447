import type { Health } from './api.ts';
import type { OpenDatabase } from './storage/open.ts';

/** How a service stands: whether its database answers and is of this version. Throws nothing. */
export const healthOf = async (database: OpenDatabase, isWorking: boolean): Promise<Health> => {
  const timezones = { ok: true, detail: process.versions.tz ?? 'unknown' };
  const workers = { ok: true, detail: isWorking ? 'in this process' : 'not in this process' };
  try {
    const { pending, isNewer } = await database.state();
    const isCurrent = pending.length === 0 && !isNewer;
    const detail = isCurrent ? 'current' : isNewer ? 'newer than this program' : `${pending.length} migrations missing`;
    return {
      ready: isCurrent,
      checks: {
        database: { ok: true, detail: database.dialect },
        schema: { ok: isCurrent, detail },
        worker: workers,
        timezones,
      },
    };
  } catch {
    return {
      ready: false,
      checks: { database: { ok: false, detail: 'cannot be reached' }, worker: workers, timezones },
    };
  }
};
