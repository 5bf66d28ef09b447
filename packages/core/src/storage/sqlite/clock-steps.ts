// Rows of a SQLite file hold moments of the wall clock, which an administrator or NTP may set while the program runs. A
// lease lasts by the monotonic clock: when the wall clock was set, leases move with it before anything is claimed. Without
// that, a step forward would end every lease at once, and rows in hand would be worked on a second time.

import { type Claimable, LANES } from '../claim.ts';
import { quotedTable } from '../codec.ts';

/** The wall clock and one that nobody sets. */
export type HostClocks = { wallMs(): number; monotonicMs(): number };

/** The wall clock was set: what it would show now, and what it shows. */
export type ClockStep = { readonly beforeMs: number; readonly afterMs: number };

/** A smaller difference is drift between the two clocks. Chosen: a thirtieth of a lease. */
const STEP_MS = 1_000;
/** The longest lease that may be held, twice over. Chosen: two processes that see one step move a lease once only. */
const WINDOW_MS = 60_000;
/** Rows that were due and stay due after a step back; more of them wait for the clock. Chosen: about 50 ms of work. */
const MOST_KEPT_DUE = 10_000;

/** Watches for steps of the wall clock. Drift is followed, and reported by nobody. Throws nothing. */
export const clockSteps = ({ wallMs, monotonicMs }: HostClocks) => {
  let aheadMs = wallMs() - monotonicMs();
  return {
    /** The step that was not taken into account yet; null: there is none. */
    look: (): ClockStep | null => {
      const [afterMs, monotonic] = [wallMs(), monotonicMs()];
      const beforeMs = Math.round(monotonic + aheadMs);
      if (Math.abs(afterMs - beforeMs) >= STEP_MS) return { beforeMs, afterMs };
      aheadMs = afterMs - monotonic;
      return null;
    },
    /** Takes a step into account; answers how to undo that. */
    accept: ({ beforeMs, afterMs }: ClockStep): (() => void) => {
      const byMs = afterMs - beforeMs;
      aheadMs += byMs;
      return () => {
        aheadMs -= byMs;
      };
    },
  };
};

/** The statements that move one queue with the clock, in their order. Parameters: `before`, `after`, and `by` in ms. */
export const stepTexts = ({ table: rows, lanes }: Claimable<unknown>): readonly string[] => {
  const table = quotedTable(rows);
  // Named for the index, which begins with it.
  const inLanes = lanes ? `"${lanes.column}" in (${LANES.join(', ')}) and ` : '';
  // Written since the clock was set: such a lease is of the new time already.
  const isNewLease = `lease_until > :after and lease_until <= :after + ${WINDOW_MS}`;
  return [
    // A step back: what was due stays due. Without effect after a step forward.
    `update ${table} set due_at = :after, lease_until = min(lease_until, :after) where rowid in (select rowid from ${table} ` +
      `where ${inLanes}due_at > :after and due_at <= :before and ` +
      `(lease_until is null or (lease_until <= :before and not (${isNewLease}))) order by due_at limit ${MOST_KEPT_DUE})`,
    // Leases that were alive last as long as they would have.
    `update ${table} set lease_until = lease_until + :by, ` +
      'due_at = case when due_at > :before then due_at + :by else min(due_at, :after) end ' +
      `where ${inLanes}due_at is not null and due_at <= :before + ${WINDOW_MS} and ` +
      `lease_until > :before and lease_until <= :before + ${WINDOW_MS}`,
  ];
};
