/** How busy this process is with its database. */
export type Strain = {
  /** How long a call waits for a connection of PostgreSQL, in milliseconds; 0 where one is free, and on SQLite. */
  readonly databaseWaitMs: number;
  /** How much waits to be stored, of what may wait: 0 to 1. */
  readonly ingestFilled: number;
};

/** How much is asked of the service, for whoever decides what it takes. */
export type LoadApi = {
  /** From memory alone, so it may be asked often. Throws nothing. */
  strain(): Strain;
  /**
   * How long the first of what events set off (steps of runs, messages for a person, events that are raised) has been due
   * without a worker taking it, in milliseconds, of all processes; messages of sends to many do not count, which wait for
   * those. Throws what the database throws.
   */
  behindMs(): Promise<number>;
};
