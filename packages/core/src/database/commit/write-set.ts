import type { BulkWrite } from '../statements/bulk.ts';
import type { CommitHook } from './commit-hook.ts';

/** Identifies a guarded row; returned if the row had no effect. */
export type Tag = string;

/** One row of a hot statement. */
export type Write = { readonly bulk: BulkWrite; readonly row: Record<string, unknown>; readonly tag: Tag };

/**
 * Input of one commit, in one transaction: either every guarded row takes effect and everything is on disk, or nothing
 * is. With `mayBeLost`, it reaches the disk with the next durable commit.
 */
export type WriteSet = {
  /** In any order: rows run by statement, in the order of ranks. */
  readonly writes: readonly Write[];
  /**
   * Work queues to wake. On PostgreSQL the signal is sent once the plan is on disk. On SQLite it is sent once the plan
   * is in the commit queue, so the resulting claims are queued after it.
   */
  readonly wakes?: readonly string[];
  /**
   * How long one statement waits for locked rows, in milliseconds; absent: without a limit. Then it fails as
   * unavailable. PostgreSQL only, where a host's transaction may hold locks.
   */
  readonly lockMs?: number;
  /** The writes of many callers: it does not wait for further ones to share its fsync. */
  readonly isGathered?: boolean;
  /**
   * A loss of power or a crash of the server may undo this commit and later ones with the same flag. The death of this
   * process loses nothing. It saves an fsync. The caller must resume from stored state and must not act outside the
   * database until a durable commit followed. Reads may see the data before it is durable.
   */
  readonly mayBeLost?: boolean;
  /** Work of the host in this transaction or after it. */
  readonly hooks?: readonly CommitHook[];
};

/** Result of a commit; `failed`: guards that failed, after which the plan left no trace. */
export type Committed = { readonly ok: true } | { readonly ok: false; readonly failed: ReadonlySet<Tag> };

/** A write; the row is type-checked against the statement's columns. Throws nothing. */
export const write = <Row>(bulk: BulkWrite<Row>, row: Row & object, tag: Tag = ''): Write => ({
  // Safe: `row` only carries a type (see BulkWrite); the statement's columns decide what is read from it.
  bulk: bulk as BulkWrite,
  row: row as Record<string, unknown>,
  tag,
});

/** Maximum tries of a plan whose guard failed. Source: docs/internals/commits-and-guards.md. */
export const MAX_TRIES = 5;

/** The writes of a write set by statement, in the order of ranks. Throws nothing. */
export const byStatement = ({ writes }: WriteSet): readonly (readonly [BulkWrite, readonly Write[]])[] => {
  const groups = new Map<BulkWrite, Write[]>();
  for (const entry of writes) {
    const group = groups.get(entry.bulk);
    if (group) group.push(entry);
    else groups.set(entry.bulk, [entry]);
  }
  return [...groups].sort(([a], [b]) => a.rank - b.rank);
};
