/** Seams for tests and figures; none of them changes what is stored. */
export type StorageObserver = {
  /** A statement ran with this many rows. `id` is a hot statement's id, or `sql` for a built one. */
  statement?(id: string, rows: number, text: string): void;
  /** A statement was built by the query builder. */
  built?(): void;
  /** Called with everything written and nothing durable yet; may throw (the commit fails) or wait. */
  beforeCommit?(): Promise<void> | void;
  /** The transaction is on disk. */
  committed?(): void;
};
