// Rows of a SQLite file store times of the wall clock, which an administrator or NTP may set while the program runs.
// Leases last by the monotonic clock: when the wall clock is set, leases move with it before anything is claimed.
// Otherwise a step forward would end every lease at once, and rows in hand would be processed twice.

import { type Claimable, PRIORITIES } from '../statements/claim.ts';
import { quotedTable } from '../statements/codec.ts';

/** The wall clock and a monotonic clock. */
export type HostClocks = { wallMs(): number; monotonicMs(): number };

/** The wall clock was set: its time without the step, and its time now. */
export type ClockStep = { readonly beforeMs: number; readonly afterMs: number };

/** A smaller difference is drift of the two clocks. Chosen: a thirtieth of a lease. */
const STEP_MS = 1_000;
/**
 * Twice the longest lease. Chosen: two processes that see one step move a lease only once. Work due within this window
 * is a retry or was deferred, so it also moves with a step back.
 */
const WINDOW_MS = 60_000;
/**
 * For this long after a step back, work may still be written with a time from before it; such a time may be this old.
 * Chosen: several times the interval between reading the clock and the commit.
 */
const LATE_MS = 10_000;
/** Rows that stay due after a step back; further ones wait for the clock. Chosen: about 50 ms of work. */
const MAX_KEPT_DUE = 10_000;

/** Parameters of `keepDueText`: rows due after `from`, the clock before and after the step, and the difference. */
export type KeepDue = { readonly from: number; readonly before: number; readonly after: number; readonly by: number };

/** A step back: the clock before it, the difference, and until when work may be written with old times. */
type StepBack = { readonly beforeMs: number; byMs: number; readonly untilMs: number };

/** Detects steps of the wall clock. Drift is followed silently. Throws nothing. */
export const clockSteps = ({ wallMs, monotonicMs }: HostClocks) => {
  let aheadMs = wallMs() - monotonicMs();
  let stepsBack: StepBack[] = [];
  const follow = (byMs: number): void => {
    aheadMs += byMs;
    for (const back of stepsBack) back.byMs += byMs;
  };
  return {
    /** A step that was not accepted yet; null if there is none. */
    pendingStep: (): ClockStep | null => {
      const [afterMs, monotonic] = [wallMs(), monotonicMs()];
      const beforeMs = Math.round(monotonic + aheadMs);
      if (Math.abs(afterMs - beforeMs) >= STEP_MS) return { beforeMs, afterMs };
      aheadMs = afterMs - monotonic;
      return null;
    },
    /** Accepts a step; returns a function that undoes it. */
    accept: ({ beforeMs, afterMs }: ClockStep): (() => void) => {
      const byMs = afterMs - beforeMs;
      follow(byMs);
      const back = { beforeMs, byMs, untilMs: monotonicMs() + LATE_MS };
      if (byMs < 0) stepsBack.push(back);
      return () => {
        stepsBack = stepsBack.filter((one) => one !== back);
        follow(-byMs);
      };
    },
    /** Parameters of `keepDueText` for work written with a time from before a step back, one per such step. */
    late: (): readonly KeepDue[] => {
      if (stepsBack.length === 0) return [];
      const [after, monotonic] = [wallMs(), monotonicMs()];
      // After a smaller step, such a time cannot be distinguished from a new one; the work is due within a minute
      // anyway.
      const found = stepsBack.filter(({ byMs }) => byMs < -2 * WINDOW_MS);
      stepsBack = stepsBack.filter(({ untilMs }) => monotonic < untilMs);
      return found.map(({ beforeMs: before, byMs: by }) => ({ from: before - LATE_MS, before, after, by }));
    },
  };
};

// The index begins with this column.
const withPriority = ({ priorities }: Claimable<unknown>): string =>
  priorities ? `"${priorities.column}" in (${PRIORITIES.join(', ')}) and ` : '';

/** Keeps rows due after a step back that were due, or about to be due, before it: see `KeepDue`. Throws nothing. */
export const keepDueText = (work: Claimable<unknown>): string => {
  const table = quotedTable(work.table);
  // Such a lease was written after the step and already uses the new time.
  const isNewLease = `lease_until > :after and lease_until <= :after + ${WINDOW_MS}`;
  return (
    `update ${table} set due_at = max(:after, due_at + :by), lease_until = min(lease_until, :after) where rowid in (select rowid from ${table} ` +
    `where ${withPriority(work)}due_at > :from and due_at <= :before + ${WINDOW_MS} and ` +
    `(lease_until is null or (lease_until <= :before and not (${isNewLease}))) order by due_at limit ${MAX_KEPT_DUE})`
  );
};

/** Keeps the remaining duration of current leases. Parameters: `before`, `after`, and `by` in ms. */
export const moveLeasesText = (work: Claimable<unknown>): string =>
  `update ${quotedTable(work.table)} set lease_until = lease_until + :by, ` +
  'due_at = case when due_at > :before then due_at + :by else min(due_at, :after) end ' +
  `where ${withPriority(work)}due_at is not null and due_at <= :before + ${WINDOW_MS} and ` +
  `lease_until > :before and lease_until <= :before + ${WINDOW_MS}`;
