// Limits the calls to one provider connection that run at once, over every batch that this process has in hand. A job
// waits in the queue, is made ready a little before its turn, many at a time, and begins when there is capacity. What
// does not even fit in the queue is put off by its caller, so that busy providers do not fill the worker.

import { contained } from '../../../foundation/contained.ts';
import type { SharedBudget } from './shared-budget.ts';

/**
 * Jobs that wait in the queue: as many as may run at once, or as are work for that many milliseconds, within bounds.
 * Ours: enough to keep any transport busy between two claims, and no more than it needs, since other workers cannot
 * take them.
 */
const QUEUE = { least: 64, worthMs: 250, most: 256 };
/** Jobs that are made ready together at most; ours: what one claim brings. */
const TOGETHER = 256;
/**
 * Jobs that are ready before there is capacity for them: how many milliseconds of work, and how many at most.
 * Ours: being made ready is a commit, which costs as much as a short call, and serves as many as there are.
 */
const AHEAD = { worthMs: 50, most: 64 };
/** Jobs that the average of their times looks back on; ours. */
const WEIGHT = 16;
/** How long a job that does not fit is put off, in milliseconds; ours. */
const OFF_MS = { least: 50, most: 60_000 };
/** Where no job ends, how much longer than that has lasted; ours: waits triple, four of them in the first second. */
const STUCK_FACTOR = 2;
/** After how long without an end jobs do not flow, in milliseconds; ours. */
const STUCK_MS = 250;
/** Jobs that were put off come back together, at most this far apart, in milliseconds: each time costs a claim. Ours. */
const STEP_MS = 1_000;

export type CallLimiterOptions<Job, Ready> = {
  /** Jobs at once at this moment, 1 or more, and at most ever. */
  readonly capacity: { now(): number; readonly most: number };
  /** What all limiters of the worker may have in hand. */
  readonly budget: SharedBudget;
  /** Whether jobs may be ready before there is capacity for them: they count as begun if this process dies. */
  readonly isAhead: boolean;
  /** Makes jobs ready and answers those that are. Never rejects. */
  readonly prepare: (jobs: readonly Job[]) => Promise<readonly Ready[]>;
  /**
   * Runs jobs that are ready; calls `free` once per job, when it has ended, with the milliseconds that it took, or null
   * where it was not run after all. Never rejects.
   */
  readonly begin: (jobs: readonly Ready[], free: (tookMs: number | null) => void) => void;
};

export type CallLimiter<Job, Ready> = {
  /** Takes as many of the jobs as fit, in their order, and answers the others. */
  add(jobs: readonly Job[]): readonly Job[];
  /** Takes out and answers the jobs that have not begun: those that wait in the queue, and those that are ready. */
  withdraw(): { readonly waiting: readonly Job[]; readonly ready: readonly Ready[] };
  /** Moments, in milliseconds from now, at which that many jobs that do not fit may fit. */
  later(count: number, nowMs: number): number[];
  /** Whether jobs end, as far as `later` was asked: false where none did for a while. */
  isFlowing(nowMs: number): boolean;
};

/** A limiter without jobs. Throws nothing. */
export const callLimiter = <Job, Ready>(options: CallLimiterOptions<Job, Ready>): CallLimiter<Job, Ready> => {
  const { capacity, budget, isAhead, prepare, begin } = options;
  const queue: Job[] = [];
  const ready: Ready[] = [];
  let preparing = 0;
  let taken = 0;
  /** Jobs that end per millisecond, as far as is known. */
  let rate = 0;
  let isCalled = false;
  let freed = 0;
  /** A moving average, and the moment until which jobs that were put off would use the capacity up. */
  let averageMs = 0;
  let busyUntilMs = 0;
  /** Since when no job ended, as far as `later` was asked; null: one did after it was asked last. */
  let stuckSinceMs: number | null = null;

  const held = (): number => queue.length + preparing + ready.length + taken;
  const ahead = (): number => (isAhead ? Math.min(Math.floor(AHEAD.worthMs * rate), AHEAD.most) : 0);
  const queueMost = (): number => Math.min(Math.max(capacity.now(), QUEUE.least, QUEUE.worthMs * rate), QUEUE.most);

  const ending = (): void => {
    budget.give();
    stuckSinceMs = null;
  };
  const free = (tookMs: number | null): void => {
    if (tookMs !== null) {
      freed += 1;
      averageMs += (tookMs - averageMs) / WEIGHT;
      if (freed >= WEIGHT && averageMs > 0) rate = taken / averageMs;
    }
    taken -= 1;
    ending();
    call();
  };
  const fill = async (): Promise<void> => {
    const open = capacity.now() + ahead() - taken - ready.length - preparing;
    // Few at a time would each cost what all of them do.
    const jobs = open < Math.max(ahead() / 2, 1) ? [] : queue.splice(0, Math.min(open, TOGETHER));
    if (jobs.length === 0) return;
    preparing += jobs.length;
    call();
    const prepared = await prepare(jobs);
    preparing -= jobs.length;
    for (let ended = prepared.length; ended < jobs.length; ended += 1) ending();
    ready.push(...prepared);
    call();
  };
  const pump = contained(() => {
    isCalled = false;
    const jobs = ready.splice(0, Math.max(capacity.now() - taken, 0));
    taken += jobs.length;
    if (jobs.length > 0) begin(jobs, free);
    return fill();
  });
  // Capacity that becomes free in one turn of the event loop is filled together.
  const call = (): void => {
    if (isCalled || queue.length + ready.length === 0) return;
    isCalled = true;
    setImmediate(pump);
  };

  return {
    add: (jobs) => {
      const most = Math.floor(capacity.now() + ahead() + queueMost());
      const fitting = budget.take(held(), Math.min(jobs.length, Math.max(most - held(), 0)));
      queue.push(...jobs.slice(0, fitting));
      call();
      return jobs.slice(fitting);
    },
    withdraw: () => {
      const withdrawn = { waiting: queue.splice(0), ready: ready.splice(0) };
      for (let left = withdrawn.waiting.length + withdrawn.ready.length; left > 0; left -= 1) budget.give();
      return withdrawn;
    },
    later: (count, nowMs) => {
      busyUntilMs = Math.max(busyUntilMs, nowMs);
      stuckSinceMs ??= nowMs;
      // Jobs that hang say nothing to the average until they end: the longer none has ended, the rarer is asked.
      const leastMs = Math.min(Math.max(STUCK_FACTOR * (nowMs - stuckSinceMs), OFF_MS.least), OFF_MS.most);
      // By the greatest capacity: a job that comes too early is put off again, one that comes too late leaves capacity unused.
      const eachMs = averageMs / capacity.most;
      // Half a queue at a time: the other half is work enough until the next claim.
      const stepMs = Math.max(Math.min((queueMost() / 2) * eachMs, STEP_MS), 1);
      return Array.from({ length: count }, () => {
        busyUntilMs = Math.min(busyUntilMs + eachMs, nowMs + OFF_MS.most);
        return Math.max(Math.ceil(busyUntilMs / stepMs) * stepMs - nowMs, leastMs);
      });
    },
    isFlowing: (nowMs) => stuckSinceMs === null || nowMs - stuckSinceMs < STUCK_MS,
  };
};
