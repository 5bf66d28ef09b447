import type { Log } from '../../foundation/log.ts';

/** What waits for a hook at most; ours: some kilobytes each at worst. */
const MAX_WAITING = 10_000;

export type AfterCommit<T> = {
  /** Throws nothing. */
  add(items: readonly T[]): void;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
};

/** Calls a host's hook with what was committed, one call at a time: what arrives meanwhile is the next call's. */
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
