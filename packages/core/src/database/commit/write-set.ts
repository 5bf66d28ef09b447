import type { BulkWrite } from '../statements/bulk.ts';
import type { Along } from './along.ts';

/** What a guarded row stands for; it comes back when the row had no effect. */
export type Tag = string;

/** One row for one hot statement. */
export type Write = { readonly bulk: BulkWrite; readonly row: Record<string, unknown>; readonly tag: Tag };

/**
 * What one commit is to do. All of it is in one transaction: either every guarded row took effect and everything is
 * on disk, or nothing is. With `mayBeLost` it is on disk with whatever lasts and is committed after it.
 */
export type WriteSet = {
  /** In any order: rows run statement by statement, by the ranks of these. */
  readonly writes: readonly Write[];
  /**
   * Work queues to wake: on PostgreSQL once the plan is on disk, on SQLite once it stands in the queue of commits, where
   * the claims that this causes stand behind it.
   */
  readonly wakes?: readonly string[];
  /**
   * How long one statement waits for rows that other transactions hold, in milliseconds; absent: as long as they do. Then
   * it is refused as unavailable. PostgreSQL only, where a host's own transaction may hold some.
   */
  readonly lockMs?: number;
  /** Many callers' writes already: it need not wait for others to share its fsync. */
  readonly isGathered?: boolean;
  /**
   * A loss of power, or a server that fails, may take it again, with what was committed after it unless that was to last:
   * then all of it is on disk. The death of this process takes nothing. Spares a write to disk of its own; whoever asks for
   * it goes on from what is stored, and starts nothing outside of the database before something that lasts was committed;
   * reads may see it before.
   */
  readonly mayBeLost?: boolean;
  /** What the host does in this transaction or after it. */
  readonly along?: readonly Along[];
};

/** Guards that failed; the plan left no trace. */
export type Committed = { readonly ok: true } | { readonly ok: false; readonly failed: ReadonlySet<Tag> };

/** A write, with its row checked against the statement's columns. Throws nothing. */
export const write = <Row>(bulk: BulkWrite<Row>, row: Row & object, tag: Tag = ''): Write => ({
  // Safe: `row` only carries a type (see BulkWrite); what is read from it is named by the statement's own columns.
  bulk: bulk as BulkWrite,
  row: row as Record<string, unknown>,
  tag,
});

/** How often a plan whose guard failed is made again. Source: docs/internals/commits-and-guards.md. */
export const MAX_TRIES = 5;

/** The writes of a write set by statement, in the order of their ranks. Throws nothing. */
export const byStatement = ({ writes }: WriteSet): readonly (readonly [BulkWrite, readonly Write[]])[] => {
  const groups = new Map<BulkWrite, Write[]>();
  for (const one of writes) {
    const group = groups.get(one.bulk);
    if (group) group.push(one);
    else groups.set(one.bulk, [one]);
  }
  return [...groups].sort(([a], [b]) => a.rank - b.rank);
};
