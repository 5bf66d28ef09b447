/** How a queue stands. */
export type QueueState = {
  readonly name: string;
  /** Rows that are due and in nobody's hands; at most 10,000 are counted. */
  readonly due: number;
  /** How long the first of them has been due, in seconds; 0 where none is. */
  readonly oldestSeconds: number;
  /** How many of `due` were in the hands of a worker that is gone. */
  readonly expired: number;
  /** Rows in the hands of workers; at most 10,000 are counted. */
  readonly claimed: number;
  /** Rows that come due later; at most 10,000 are counted. */
  readonly scheduled: number;
};
