import type { Log } from '../../foundation/log.ts';

/** Maximum items that wait for a hook. Chosen: some kilobytes each at worst. */
const MAX_WAITING = 10_000;

export type AfterCommit<T> = {
  /** Throws nothing. */
  add(items: readonly T[]): void;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
};

/** Calls a host's hook after a commit, one call at a time: items that arrive meanwhile are passed to the next call. */
export const afterCommit = <T>(
  what: string,
  hook: (items: readonly T[]) => void | Promise<void>,
  log: Pick<Log, 'error'>,
): AfterCommit<T> => {
  let waiting: T[] = [];
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      try {
        await hook(items);
      } catch (error) {
        log.error({ hook: what, items: items.length, error }, 'a hook threw');
      }
    }
    running = undefined;
  };

  return {
    add: (items) => {
      const capacity = MAX_WAITING - waiting.length;
      waiting.push(...items.slice(0, capacity));
      if (items.length > capacity)
        log.error({ hook: what, items: items.length - capacity }, 'a hook is too slow: items are lost');
      running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(run);
    },
    settled: async () => {
      await running;
    },
  };
};
