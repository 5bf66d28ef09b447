/** Hooks for tests and metrics; none changes what is stored. */
export type StorageObserver = {
  /** A statement ran with this many rows. `id` is a hot statement's id, or `sql` for a built statement. */
  statement?(id: string, rows: number, text: string): void;
  /** The query builder built a statement. */
  built?(): void;
  /** Called after all writes and before COMMIT; may throw (the commit fails) or wait. */
  beforeCommit?(): Promise<void> | void;
  /** The transaction is on disk. */
  committed?(): void;
};
