import type { Claimed, LeaseKey } from '../database/statements/claim.ts';

/**
 * Rows that are processed by the process that creates them. They are written with its lease, so no wake signal or claim
 * is needed between the commit and the work. If the process dies, the lease ends as for any row in hand.
 */
export type LocalHandoff<Row extends LeaseKey> = {
  /**
   * How many rows may be handed off now; 0 while the worker is stopped, or if other rows may be due before them.
   * Concurrent plans each see the full number.
   */
  capacity(): number;
  /** Takes such rows, as stored, once they are on disk. Throws nothing. */
  take(rows: readonly Claimed<Row>[]): void;
};

/** A handoff that reaches the worker's queue after `connect`. Until then its capacity is 0. Throws nothing. */
export const localHandoff = <Row extends LeaseKey>(): LocalHandoff<Row> & { connect(by: LocalHandoff<Row>): void } => {
  let handler: LocalHandoff<Row> | undefined;
  return {
    capacity: () => handler?.capacity() ?? 0,
    take: (rows) => handler?.take(rows),
    connect: (by) => {
      handler = by;
    },
  };
};
