import type { WorkLog } from './log.ts';

/** One kind of upkeep: does a bounded piece and answers whether more is left. Running it twice does no harm. */
export type Upkeep = { readonly name: string; run(): Promise<boolean> };

/** How often upkeep is looked at; ours. */
const EVERY_MS = 60_000;
/** Pieces of one kind in a row before the others have their turn; ours. */
const PIECES = 100;

/** The upkeep list of one process. Errors are logged and the next round tries again. */
export const maintenance = (list: readonly Upkeep[], log: WorkLog) => {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isStopping = false;

  const runAll = async (): Promise<void> => {
    for (const { name, run } of list) {
      try {
        for (let piece = 0; piece < PIECES && !isStopping && (await run()); piece += 1);
      } catch (error) {
        log.error({ upkeep: name, error }, 'upkeep failed');
      }
    }
  };
  const again = (): void => {
    if (isStopping) return;
    timer = setTimeout(() => {
      round = runAll().then(again);
    }, EVERY_MS).unref();
  };

  return {
    start: (): void => {
      isStopping = false;
      again();
    },
    stop: async (): Promise<void> => {
      isStopping = true;
      clearTimeout(timer);
      await round;
    },
    /** One round now. */
    run: runAll,
  };
};
