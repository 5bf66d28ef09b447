import { contained } from '../foundation/contained.ts';
import type { WorkLog } from './log.ts';

/** One kind of maintenance: does a bounded piece and returns whether more is left. Idempotent. */
export type MaintenanceTask = { readonly name: string; run(): Promise<boolean> };

/** Interval of maintenance. Chosen. */
const ROUND_MS = 60_000;
/** Maximum pieces of one kind in a row. Chosen. */
const PIECES = 100;

/**
 * The maintenance of one process; `start` and `stop` are idempotent. Errors are logged, and the next round tries again.
 */
export const maintenance = (list: readonly MaintenanceTask[], log: Pick<WorkLog, 'error'>) => {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isStarted = false;
  let stopping = new AbortController();

  const runAll = async (): Promise<void> => {
    const { signal } = stopping;
    for (const { name, run } of list) {
      try {
        for (let piece = 0; piece < PIECES && !signal.aborted && (await run()); piece += 1);
      } catch (error) {
        log.error({ task: name, error }, 'a maintenance task failed');
      }
    }
  };
  const scheduleNext = (): void => {
    if (!isStarted) return;
    // If a start comes before a stopped round has ended, one timer goes on.
    clearTimeout(timer);
    timer = setTimeout(
      contained(() => {
        round = runAll().then(scheduleNext);
      }),
      ROUND_MS,
    ).unref();
  };

  return {
    start: (): void => {
      if (isStarted) return;
      isStarted = true;
      scheduleNext();
    },
    stop: async (): Promise<void> => {
      isStarted = false;
      clearTimeout(timer);
      stopping.abort();
      // A later round, after another start or by itself, is not aborted.
      stopping = new AbortController();
      await round;
    },
    /** Runs one round now. */
    run: runAll,
  };
};
