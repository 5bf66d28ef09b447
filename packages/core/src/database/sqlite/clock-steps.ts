// Rows of a SQLite file hold moments of the wall clock, which an administrator or NTP may set while the program runs. A
// lease lasts by the monotonic clock: when the wall clock was set, leases move with it before anything is claimed. Without
// that, a step forward would end every lease at once, and rows in hand would be worked on a second time.

import { type Claimable, LANES } from '../statements/claim.ts';
import { quotedTable } from '../statements/codec.ts';

/** The wall clock and one that nobody sets. */
export type HostClocks = { wallMs(): number; monotonicMs(): number };

/** The wall clock was set: what it would show now, and what it shows. */
export type ClockStep = { readonly beforeMs: number; readonly afterMs: number };

/** A smaller difference is drift between the two clocks. Chosen: a thirtieth of a lease. */
const STEP_MS = 1_000;
/**
 * The longest lease that may be held, twice over. Chosen: two processes that see one step move a lease once only. Work that
 * comes due within so long is a retry or was put off, so it moves with a step back too.
 */
const WINDOW_MS = 60_000;
/**
 * For so long after a step back, work may be written with a moment that was read before it; and so old such a moment may
 * be. Chosen: several times what lies between reading the clock and the commit.
 */
const LATE_MS = 10_000;
/** Rows that were due and stay due after a step back; more of them wait for the clock. Chosen: about 50 ms of work. */
const MOST_KEPT_DUE = 10_000;

/** The parameters of `keepDueText`: what was due behind `from`, what the clock showed and shows, and their difference. */
export type KeepDue = { readonly from: number; readonly before: number; readonly after: number; readonly by: number };

/** A step back: what the clock showed, how much earlier it shows by now, and until when work may be written with its moments. */
type Back = { readonly beforeMs: number; byMs: number; readonly untilMs: number };

/** Watches for steps of the wall clock. Drift is followed, and reported by nobody. Throws nothing. */
export const clockSteps = ({ wallMs, monotonicMs }: HostClocks) => {
  let aheadMs = wallMs() - monotonicMs();
  let backs: Back[] = [];
  const follow = (byMs: number): void => {
    aheadMs += byMs;
    for (const back of backs) back.byMs += byMs;
  };
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
      follow(byMs);
      const back = { beforeMs, byMs, untilMs: monotonicMs() + LATE_MS };
      if (byMs < 0) backs.push(back);
      return () => {
        backs = backs.filter((one) => one !== back);
        follow(-byMs);
      };
    },
    /** The parameters of `keepDueText` for what was written with a moment from before a step back, one for each such step. */
    late: (): readonly KeepDue[] => {
      if (backs.length === 0) return [];
      const [after, monotonic] = [wallMs(), monotonicMs()];
      // After a smaller step such a moment cannot be told from one of the new time; it comes within the minute anyway.
      const found = backs.filter(({ byMs }) => byMs < -2 * WINDOW_MS);
      backs = backs.filter(({ untilMs }) => monotonic < untilMs);
      return found.map(({ beforeMs: before, byMs: by }) => ({ from: before - LATE_MS, before, after, by }));
    },
  };
};

// Named for the index, which begins with it.
const inLanes = ({ lanes }: Claimable<unknown>): string =>
  lanes ? `"${lanes.column}" in (${LANES.join(', ')}) and ` : '';

/** Keeps rows due after a step back that were due before it, or were about to be: see `KeepDue`. Throws nothing. */
export const keepDueText = (work: Claimable<unknown>): string => {
  const table = quotedTable(work.table);
  // Written since the clock was set: such a lease is of the new time already.
  const isNewLease = `lease_until > :after and lease_until <= :after + ${WINDOW_MS}`;
  return (
    `update ${table} set due_at = max(:after, due_at + :by), lease_until = min(lease_until, :after) where rowid in (select rowid from ${table} ` +
    `where ${inLanes(work)}due_at > :from and due_at <= :before + ${WINDOW_MS} and ` +
    `(lease_until is null or (lease_until <= :before and not (${isNewLease}))) order by due_at limit ${MOST_KEPT_DUE})`
  );
};

/** Makes leases that are alive last as long as they would have. Parameters: `before`, `after`, and `by` in ms. */
export const moveLeasesText = (work: Claimable<unknown>): string =>
  `update ${quotedTable(work.table)} set lease_until = lease_until + :by, ` +
  'due_at = case when due_at > :before then due_at + :by else min(due_at, :after) end ' +
  `where ${inLanes(work)}due_at is not null and due_at <= :before + ${WINDOW_MS} and ` +
  `lease_until > :before and lease_until <= :before + ${WINDOW_MS}`;
