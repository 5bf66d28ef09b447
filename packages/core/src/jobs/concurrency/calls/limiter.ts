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
/**
 * High-priority jobs accepted while the queue is full. Chosen: as many as the smallest queue. Further ones are deferred.
 */
const FIRST_BEYOND = 64;
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
  /** True for a job that goes before the others that wait. Absent: jobs keep their order. */
  readonly isFirst?: ((job: Job) => boolean) | undefined;
  /** Prepares jobs and returns those that are ready. Never rejects. */
  readonly prepare: (jobs: readonly Job[]) => Promise<readonly Ready[]>;
  /**
   * Runs prepared jobs; calls `free` once per job when it has ended, with its duration in milliseconds, or null if it
   * did not run. Never rejects.
   */
  readonly begin: (jobs: readonly Ready[], free: (tookMs: number | null) => void) => void;
};

export type CallLimiter<Job, Ready> = {
  /** Takes as many jobs as fit, those that go first before the others, and returns the rest, likewise. */
  add(jobs: readonly Job[]): readonly Job[];
  /** Removes and returns the jobs that have not begun: queued and prepared ones. */
  withdraw(): { readonly waiting: readonly Job[]; readonly ready: readonly Ready[] };
  /**
   * Delays in milliseconds after which that many deferred jobs may fit. `areFirst`: jobs that go first, which wait for one
   * another and for no others.
   */
  retryDelays(count: number, nowMs: number, areFirst?: boolean): number[];
  /** False if no job has ended for a while, as observed by `retryDelays`. */
  isFlowing(nowMs: number): boolean;
};

/** An empty limiter. Throws nothing. */
export const callLimiter = <Job, Ready>(options: CallLimiterOptions<Job, Ready>): CallLimiter<Job, Ready> => {
  const { capacity, budget, isAhead, isFirst, prepare, begin } = options;
  /** Jobs that go first, then the others; each in order of arrival. */
  const queue: Job[] = [];
  let firstQueued = 0;
  const ready: Ready[] = [];
  let preparing = 0;
  let running = 0;
  /** Known rate of finished jobs per millisecond. */
  let rate = 0;
  let isPumpScheduled = false;
  let endedJobs = 0;
  /** Moving average of durations, and the time until which deferred jobs use up the capacity. */
  let averageMs = 0;
  const busyUntilMs = { first: 0, others: 0 };
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
    firstQueued = Math.max(firstQueued - jobs.length, 0);
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
      const fitting = (count: number, slots: number): number =>
        budget.take(jobsHeld(), Math.min(count, Math.max(slots, 0)));
      const first = isFirst ? jobs.filter(isFirst) : [];
      const firstSlots = Math.max(most - jobsHeld(), FIRST_BEYOND - firstQueued);
      const moved = first.slice(0, first.length === 0 ? 0 : fitting(first.length, firstSlots));
      queue.splice(firstQueued, 0, ...moved);
      firstQueued += moved.length;
      const others = first.length === 0 ? jobs : jobs.filter((job) => !isFirst?.(job));
      const after = fitting(others.length, most - jobsHeld());
      queue.push(...others.slice(0, after));
      schedulePump();
      return [...first.slice(moved.length), ...others.slice(after)];
    },
    withdraw: () => {
      firstQueued = 0;
      const withdrawn = { waiting: queue.splice(0), ready: ready.splice(0) };
      for (let left = withdrawn.waiting.length + withdrawn.ready.length; left > 0; left -= 1) budget.give();
      return withdrawn;
    },
    retryDelays: (count, nowMs, areFirst = false) => {
      const kind = areFirst ? 'first' : 'others';
      let untilMs = Math.max(busyUntilMs[kind], nowMs);
      stuckSinceMs ??= nowMs;
      // Hanging jobs do not count in the average until they end: the longer none has ended, the longer the delay.
      const leastMs = Math.min(Math.max(STUCK_FACTOR * (nowMs - stuckSinceMs), PUT_OFF_MS.least), PUT_OFF_MS.most);
      // Based on the greatest capacity: a job that returns too early is deferred again, one that returns too late
      // leaves capacity unused.
      const eachMs = averageMs / capacity.most;
      // Half a queue at a time: the other half is enough work until the next claim.
      const stepMs = Math.max(Math.min((maxQueued() / 2) * eachMs, STEP_MS), 1);
      const delays = Array.from({ length: count }, () => {
        untilMs = Math.min(untilMs + eachMs, nowMs + PUT_OFF_MS.most);
        return Math.max(Math.ceil(untilMs / stepMs) * stepMs - nowMs, leastMs);
      });
      busyUntilMs[kind] = untilMs;
      return delays;
    },
    isFlowing: (nowMs) => stuckSinceMs === null || nowMs - stuckSinceMs < STUCK_MS,
  };
};
