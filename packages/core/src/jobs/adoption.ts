import type { Claimed, LeaseKey } from '../database/statements/claim.ts';

/**
 * Rows that are worked on by the process that makes them: they are written with its lease, so that neither a wake-up nor a
 * claim stands between the commit and their work. Where the process ends first, the lease does, as of any row in hand.
 */
export type Adoption<Row extends LeaseKey> = {
  /**
   * How many rows may be written so now; none while the worker stands still, or where others may be due before them. Of
   * plans that are made side by side each finds all of it.
   */
  room(): number;
  /** Takes such rows, as the database has them, once they are on disk. Throws nothing. */
  take(rows: readonly Claimed<Row>[]): void;
};

/** An adoption that finds the worker's queue once there is one (`serve`). Until then it has no room. Throws nothing. */
export const adoption = <Row extends LeaseKey>(): Adoption<Row> & { serve(by: Adoption<Row>): void } => {
  let serving: Adoption<Row> | undefined;
  return {
    room: () => serving?.room() ?? 0,
    take: (rows) => serving?.take(rows),
    serve: (by) => {
      serving = by;
    },
  };
};
