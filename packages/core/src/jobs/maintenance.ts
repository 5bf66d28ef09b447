import { contained } from '../foundation/contained.ts';
import type { WorkLog } from './log.ts';

/** One kind of upkeep: does a bounded piece and answers whether more is left. Running it twice does no harm. */
export type Upkeep = { readonly name: string; run(): Promise<boolean> };

/** How often upkeep is looked at; ours. */
const EVERY_MS = 60_000;
/** Pieces of one kind in a row before the others have their turn; ours. */
const PIECES = 100;

/**
 * The upkeep list of one process; `start` and `stop` are idempotent. Errors are logged and the next round tries again.
 */
export const maintenance = (list: readonly Upkeep[], log: Pick<WorkLog, 'error'>) => {
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
        log.error({ upkeep: name, error }, 'upkeep failed');
      }
    }
  };
  const again = (): void => {
    if (!isStarted) return;
    // Of a round that a stop cut short, where a start came before its end: one timer goes on.
    clearTimeout(timer);
    timer = setTimeout(
      contained(() => {
        round = runAll().then(again);
      }),
      EVERY_MS,
    ).unref();
  };

  return {
    start: (): void => {
      if (isStarted) return;
      isStarted = true;
      again();
    },
    stop: async (): Promise<void> => {
      isStarted = false;
      clearTimeout(timer);
      stopping.abort();
      // What runs from now on, after another start or by itself, is not cut short.
      stopping = new AbortController();
      await round;
    },
    /** One round now. */
    run: runAll,
  };
};
