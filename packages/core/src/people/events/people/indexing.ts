import { contained } from '../../../foundation/contained.ts';
import { PASS } from './store.ts';

/** Events from which on it is worth a commit to take them up while nothing else is to do; ours. */
const WORTH = 500;
/** How long nothing came before that; ours, less than the log waits for its checkpoint. */
const IDLE_MS = 250;

/**
 * When the index over people catches up with what was stored: as soon as a pass is full, or after a moment in which
 * nothing came. Another process's events, and those of a process that ended, come along; what is behind after all,
 * reads find and upkeep takes up.
 *
 * @param catchUp one step; answers whether more is left. Its errors are dropped: the next step does the same.
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
      // Nothing depends on it: the events are stored, and read without it.
    }
    running = undefined;
  };
  const start = (): void => {
    running ??= run();
  };
  const look = contained(() => {
    timer = undefined;
    if (!isStopped && lag >= WORTH) start();
  });

  return {
    /** So many events were stored. */
    stored: (count: number): void => {
      if (isStopped) return;
      lag += count;
      if (lag >= PASS) start();
      if (timer) timer.refresh();
      else timer = setTimeout(look, IDLE_MS).unref();
    },
    /** Everything that is behind now. Throws what a step throws. */
    catchUp: all,
    /** Resolves when nothing of it is under way, nor will be. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
