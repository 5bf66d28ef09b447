/** State of a queue. */
export type QueueState = {
  readonly name: string;
  /** Rows that are due and not claimed; at most 10,000 are counted. */
  readonly due: number;
  /** How long the first of them has been due, in seconds; 0 if there is none. */
  readonly oldestSeconds: number;
  /** Rows of `due` that were leased to a worker that has died. */
  readonly expired: number;
  /** Rows claimed by workers; at most 10,000 are counted. */
  readonly claimed: number;
  /** Rows that become due later; at most 10,000 are counted. */
  readonly scheduled: number;
};
