import { contained } from '../../../foundation/contained.ts';
import { PASS } from './store.ts';

/** Unindexed events that justify a commit while ingest is idle. Chosen: amortizes the commit. */
const MIN_IDLE_EVENTS = 500;
/** How long ingest must be idle before that. Chosen: less than the checkpoint delay of the write-ahead log. */
const IDLE_MS = 250;

/**
 * Schedules catching up of the index over profiles: at once when a full pass is due, otherwise after a short idle time.
 * Passes also index events of other processes, running or ended. Events that are still missing are found by reads and
 * indexed by maintenance.
 *
 * @param catchUp one step; true if more is left. Its errors are dropped, because the next step repeats the work.
 */
export const indexing = (catchUp: () => Promise<boolean>) => {
  let lag = 0;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const all = async (): Promise<void> => {
    lag = 0;
    while (!isStopped && (await catchUp()));
  };
  const run = async (): Promise<void> => {
    try {
      await all();
    } catch {
      // The events are stored, and reads find them without the index.
    }
    running = undefined;
  };
  const start = (): void => {
    running ??= run();
  };
  const checkIdle = contained(() => {
    timer = undefined;
    if (!isStopped && lag >= MIN_IDLE_EVENTS) start();
  });

  return {
    /** Reports that events were stored. */
    stored: (count: number): void => {
      if (isStopped) return;
      lag += count;
      if (lag >= PASS) start();
      if (timer) timer.refresh();
      else timer = setTimeout(checkIdle, IDLE_MS).unref();
    },
    /** Indexes everything that is missing now. Throws the errors of a step. */
    catchUp: all,
    /** Resolves when no step is running; no further step starts. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
