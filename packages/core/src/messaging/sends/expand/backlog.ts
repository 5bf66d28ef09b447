// How late the worker is with messages. A large send is expanded only while messages are claimed in time: expanding
// faster than sending would only queue its messages in front of others.

import type { Claimable } from '../../../database/statements/claim.ts';
import type { Storage } from '../../../database/storage.ts';

/**
 * Maximum time that a message may be due without being claimed, in milliseconds. Chosen: a few rounds of a busy worker.
 */
const MAX_LAG_MS = 250;
const POLL_MS = 50;
/** Maximum wait, in milliseconds. Chosen: an expansion continues, slowly, whatever the backlog. */
const WAIT_MS = 5_000;

export type Backlog = {
  /** Counts messages as in hand until `work` ends. */
  during(messages: number, work: () => Promise<void>): Promise<void>;
  /**
   * Resolves when no message is late; also at once if this process has no message in hand, after the maximum wait, and
   * when the signal aborts. Throws what the database throws.
   */
  cleared(signal: AbortSignal): Promise<void>;
};

/** Makes the backlog of the message queue. Throws nothing. */
export const messageBacklog = (storage: Pick<Storage, 'nextDueInMs'>, messages: Claimable<unknown>): Backlog => {
  let inHand = 0;

  const isLagging = async (): Promise<boolean> =>
    // With nothing in hand, this process is about to claim nothing, so waiting would not reduce the backlog.
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
      for (let waitedMs = 0; waitedMs < WAIT_MS && !signal.aborted && (await isLagging()); waitedMs += POLL_MS)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
  };
};
