// Limits concurrent calls to one provider connection, over all batches of this process. A job waits in the queue, is
// prepared shortly before its turn together with many others, and begins when there is capacity. The caller defers jobs
// that do not fit in the queue, so that busy providers do not fill the worker.

import { contained } from '../../../foundation/contained.ts';
import type { SharedBudget } from './shared-budget.ts';

/**
 * Jobs in the queue: as many as the capacity, or as this many milliseconds of work, within bounds. Chosen: enough to
 * keep any transport busy between two claims, and no more, since other workers cannot take them.
 */
const QUEUE = { least: 64, worthMs: 250, most: 256 };
/** Maximum jobs prepared together. Chosen: the rows of one claim. */
const MAX_PREPARED = 256;
/**
 * Jobs prepared ahead of capacity: milliseconds of work, and the maximum. Chosen: preparing is a commit, which costs as
 * much as a short call and serves many jobs.
 */
const AHEAD = { worthMs: 50, most: 64 };
/** Jobs in the moving average of durations. Chosen. */
const WEIGHT = 16;
/** How long a job that does not fit is deferred, in milliseconds. Chosen. */
const PUT_OFF_MS = { least: 50, most: 60_000 };
/**
 * While no job ends, the delay is this multiple of that time. Chosen: delays triple, four of them in the first second.
 */
const STUCK_FACTOR = 2;
/** Time without a finished job after which the limiter counts as stuck, in milliseconds. Chosen. */
const STUCK_MS = 250;
/** Deferred jobs return in groups at most this far apart, in milliseconds: each return costs a claim. Chosen. */
const STEP_MS = 1_000;

export type CallLimiterOptions<Job, Ready> = {
  /** Concurrent jobs at this moment, 1 or more, and the maximum ever. */
  readonly capacity: { now(): number; readonly most: number };
  /** Budget shared by all limiters of the worker. */
  readonly budget: SharedBudget;
  /** True if jobs may be prepared ahead of capacity: they count as begun if this process dies. */
  readonly isAhead: boolean;
  /** Prepares jobs and returns those that are ready. Never rejects. */
  readonly prepare: (jobs: readonly Job[]) => Promise<readonly Ready[]>;
  /**
   * Runs prepared jobs; calls `free` once per job when it has ended, with its duration in milliseconds, or null if it
   * did not run. Never rejects.
   */
  readonly begin: (jobs: readonly Ready[], free: (tookMs: number | null) => void) => void;
};

export type CallLimiter<Job, Ready> = {
  /** Takes as many jobs as fit, in order, and returns the others. */
  add(jobs: readonly Job[]): readonly Job[];
  /** Removes and returns the jobs that have not begun: queued and prepared ones. */
  withdraw(): { readonly waiting: readonly Job[]; readonly ready: readonly Ready[] };
  /** Delays in milliseconds after which that many deferred jobs may fit. */
  retryDelays(count: number, nowMs: number): number[];
  /** False if no job has ended for a while, as observed by `retryDelays`. */
  isFlowing(nowMs: number): boolean;
};

/** An empty limiter. Throws nothing. */
export const callLimiter = <Job, Ready>(options: CallLimiterOptions<Job, Ready>): CallLimiter<Job, Ready> => {
  const { capacity, budget, isAhead, prepare, begin } = options;
  const queue: Job[] = [];
  const ready: Ready[] = [];
  let preparing = 0;
  let running = 0;
  /** Known rate of finished jobs per millisecond. */
  let rate = 0;
  let isPumpScheduled = false;
  let endedJobs = 0;
  /** Moving average of durations, and the time until which deferred jobs use up the capacity. */
  let averageMs = 0;
  let busyUntilMs = 0;
  /** Time since which no job has ended, as observed by `retryDelays`; null: one ended after the last call. */
  let stuckSinceMs: number | null = null;

  const jobsHeld = (): number => queue.length + preparing + ready.length + running;
  const maxAhead = (): number => (isAhead ? Math.min(Math.floor(AHEAD.worthMs * rate), AHEAD.most) : 0);
  const maxQueued = (): number => Math.min(Math.max(capacity.now(), QUEUE.least, QUEUE.worthMs * rate), QUEUE.most);

  const jobEnded = (): void => {
    budget.give();
    stuckSinceMs = null;
  };
  const free = (tookMs: number | null): void => {
    if (tookMs !== null) {
      endedJobs += 1;
      averageMs += (tookMs - averageMs) / WEIGHT;
      if (endedJobs >= WEIGHT && averageMs > 0) rate = running / averageMs;
    }
    running -= 1;
    jobEnded();
    schedulePump();
  };
  const fill = async (): Promise<void> => {
    const freeNow = capacity.now() + maxAhead() - running - ready.length - preparing;
    // A small group costs as much as a full one.
    const jobs = freeNow < Math.max(maxAhead() / 2, 1) ? [] : queue.splice(0, Math.min(freeNow, MAX_PREPARED));
    if (jobs.length === 0) return;
    preparing += jobs.length;
    schedulePump();
    const prepared = await prepare(jobs);
    preparing -= jobs.length;
    for (let ended = prepared.length; ended < jobs.length; ended += 1) jobEnded();
    ready.push(...prepared);
    schedulePump();
  };
  const pump = contained(() => {
    isPumpScheduled = false;
    const jobs = ready.splice(0, Math.max(capacity.now() - running, 0));
    running += jobs.length;
    if (jobs.length > 0) begin(jobs, free);
    return fill();
  });
  // Capacity freed in one turn of the event loop is filled together.
  const schedulePump = (): void => {
    if (isPumpScheduled || queue.length + ready.length === 0) return;
    isPumpScheduled = true;
    setImmediate(pump);
  };

  return {
    add: (jobs) => {
      const most = Math.floor(capacity.now() + maxAhead() + maxQueued());
      const fitting = budget.take(jobsHeld(), Math.min(jobs.length, Math.max(most - jobsHeld(), 0)));
      queue.push(...jobs.slice(0, fitting));
      schedulePump();
      return jobs.slice(fitting);
    },
    withdraw: () => {
      const withdrawn = { waiting: queue.splice(0), ready: ready.splice(0) };
      for (let left = withdrawn.waiting.length + withdrawn.ready.length; left > 0; left -= 1) budget.give();
      return withdrawn;
    },
    retryDelays: (count, nowMs) => {
      busyUntilMs = Math.max(busyUntilMs, nowMs);
      stuckSinceMs ??= nowMs;
      // Hanging jobs do not count in the average until they end: the longer none has ended, the longer the delay.
      const leastMs = Math.min(Math.max(STUCK_FACTOR * (nowMs - stuckSinceMs), PUT_OFF_MS.least), PUT_OFF_MS.most);
      // Based on the greatest capacity: a job that returns too early is deferred again, one that returns too late
      // leaves capacity unused.
      const eachMs = averageMs / capacity.most;
      // Half a queue at a time: the other half is enough work until the next claim.
      const stepMs = Math.max(Math.min((maxQueued() / 2) * eachMs, STEP_MS), 1);
      return Array.from({ length: count }, () => {
        busyUntilMs = Math.min(busyUntilMs + eachMs, nowMs + PUT_OFF_MS.most);
        return Math.max(Math.ceil(busyUntilMs / stepMs) * stepMs - nowMs, leastMs);
      });
    },
    isFlowing: (nowMs) => stuckSinceMs === null || nowMs - stuckSinceMs < STUCK_MS,
  };
};
