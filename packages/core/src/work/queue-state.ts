/** How a queue stands. */
export type QueueState = {
  readonly name: string;
  /** Rows that are due and in nobody's hands; at most 10,000 are counted. */
  readonly due: number;
  /** How long the first of them has been due, in seconds; 0 where none is. */
  readonly oldestSeconds: number;
};
