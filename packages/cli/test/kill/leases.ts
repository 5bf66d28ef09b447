import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import { QUEUES } from './drained.ts';

/** Polling interval, which is the precision of takeover times. */
const LOOK_MS = 100;

type Row = { readonly queue: string; readonly id: string; readonly fence: number; readonly isLeased: number };
type Death = { readonly at: number; readonly rows: Map<string, number>; lastMs: number };

/** Measures how long rows of killed workers wait for a takeover. */
export type LeaseWatch = {
  /** Registers a killed worker. Resolves when its rows are read; the returned function gives their longest wait. */
  died(): Promise<() => number>;
  /** Stops the measurement. Throws its errors. */
  stop(): Promise<void>;
};

/** Starts the measurement. A row is taken over when its fencing token has changed or it is no longer due. */
export const leaseWatch = (deployment: Deployment): LeaseWatch => {
  const deaths: Death[] = [];
  const stopping = new AbortController();

  const due = async (): Promise<Map<string, Row>> => {
    const rows = await deployment.query<Row>(
      QUEUES.map(
        (table) =>
          `select '${table}' as queue, id, fence, case when lease_until is null then 0 else 1 end as "isLeased" ` +
          `from ${table} where due_at is not null`,
      ).join(' union all '),
    );
    return new Map(rows.map((row) => [`${row.queue}/${row.id}`, row]));
  };
  const look = async (): Promise<void> => {
    const open = deaths.filter(({ rows }) => rows.size > 0);
    if (open.length === 0) return;
    const found = await due();
    for (const death of open) {
      for (const [key, fence] of death.rows) {
        if (found.get(key)?.fence === fence) continue;
        death.rows.delete(key);
        death.lastMs = performance.now() - death.at;
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look();
      await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  // Errors are thrown by `stop`.
  watching.catch(() => undefined);

  return {
    died: async () => {
      const at = performance.now();
      const rows = new Map<string, number>();
      for (const [key, { fence, isLeased }] of await due()) {
        // Rows of an earlier kill belong to that kill.
        if (isLeased === 1 && !deaths.some((death) => death.rows.get(key) === fence)) rows.set(key, fence);
      }
      const death: Death = { at, rows, lastMs: 0 };
      deaths.push(death);
      return () => (death.rows.size > 0 ? Number.POSITIVE_INFINITY : death.lastMs);
    },
    stop: async () => {
      await look();
      stopping.abort();
      await watching;
    },
  };
};
