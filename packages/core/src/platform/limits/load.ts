/** Load of this process and its database. */
export type ProcessLoad = {
  /** How long a call waits for a connection of PostgreSQL, in milliseconds; 0 if one is free, and on SQLite. */
  readonly databaseWaitMs: number;
  /** The filled part of the ingest queue: 0 to 1. */
  readonly ingestFilled: number;
};

/** Load of the service, for callers that decide what to accept. */
export type LoadApi = {
  /** From memory only, so it may be read often. Throws nothing. */
  current(): ProcessLoad;
  /**
   * How long the oldest work triggered by events (steps of runs, messages to a user, raised events) has been due
   * without a claim, in milliseconds, over all processes. Bulk sends do not count, since they wait for this work.
   * Throws errors of the database.
   */
  lagMs(): Promise<number>;
};
