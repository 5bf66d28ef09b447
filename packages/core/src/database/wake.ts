import { contained } from '../foundation/contained.ts';
import { withoutDeadline } from '../foundation/deadline.ts';

/**
 * Signals that a queue may have work. A signal may be lost (polling is the fallback) and may be sent for a plan that
 * fails; a claim finds what the plan wrote, if anything.
 */
export type Wake = {
  signal(topics: readonly string[]): void;
  /** Calls `listener` for each signalled topic until the returned function is called. */
  subscribe(listener: (topic: string) => void): () => void;
};

/** Wake signals inside one process. Throws nothing. */
export const localWake = (): Wake => {
  const listeners = new Set<(topic: string) => void>();
  return {
    signal: (topics) => {
      // A woken worker serves all callers, so it must not inherit the signaller's deadline.
      withoutDeadline(() => {
        for (const topic of topics) for (const listener of listeners) listener(topic);
      });
    },
    subscribe: (listener) => {
      const hear = contained(listener);
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
};
