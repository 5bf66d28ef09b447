// How far the worker is behind with messages. A large send is expanded only while it is not far: what is expanded
// faster than it is sent would only stand before everybody else's messages.

import type { Claimable } from '../../../database/statements/claim.ts';
import type { Storage } from '../../../database/storage.ts';

/** How long a message may have been due without being claimed, in milliseconds; ours: a few rounds of a busy worker. */
const MAX_LAG_MS = 250;
const LOOK_MS = 50;
/** How long anybody waits at most, in milliseconds; ours: an expansion goes on, slowly, however much is due. */
const WAIT_MS = 5_000;

export type Backlog = {
  /** Counts messages that are in hand until the work on them has ended. */
  during(messages: number, work: () => Promise<void>): Promise<void>;
  /**
   * Resolves once there is none, at once where this process has no message in hand, when it has taken too long, or when
   * the signal is aborted. Throws what the database throws.
   */
  cleared(signal: AbortSignal): Promise<void>;
};

/** The backlog of the queue of messages. Throws nothing. */
export const messageBacklog = (storage: Pick<Storage, 'nextDueInMs'>, messages: Claimable<unknown>): Backlog => {
  let inHand = 0;

  const isLagging = async (): Promise<boolean> =>
    // Nothing in hand: nobody here is about to claim what is due, so waiting for it would help nobody.
    inHand > 0 && ((await storage.nextDueInMs(messages)) ?? 0) < -MAX_LAG_MS;

  return {
    during: async (count, work) => {
      inHand += count;
      try {
        await work();
      } finally {
        inHand -= count;
      }
    },
    cleared: async (signal) => {
      for (let waitedMs = 0; waitedMs < WAIT_MS && !signal.aborted && (await isLagging()); waitedMs += LOOK_MS)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    },
  };
};
