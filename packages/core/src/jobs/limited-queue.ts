// Work of a queue whose rows are calls to others: each target (a provider connection, a webhook) has a call limiter.
//
//   process --> groups by target --> limiter --> prepare --> begin --> end or fail
//                                       |
//                                       +-- does not fit: put off, without using an attempt
//
//   the worker stops   rows that have not begun are given back
//   a row fails        the batch throws once its last row has ended
//   rows do not fit    with `hasOtherOwnersDue` the queue claims more slowly (claim-throttle.ts)

import type { LeaseKey } from '../database/statements/claim.ts';
import type { Clock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';
import { waitForAll } from '../foundation/wait-for-all.ts';
import { claimThrottle } from './concurrency/calls/claim-throttle.ts';
import { type CallLimiter, type CallLimiterOptions, callLimiter } from './concurrency/calls/limiter.ts';
import { sharedBudget } from './concurrency/calls/shared-budget.ts';
import { MAX_CLAIM, type ProcessContext } from './registration.ts';

/** Rows of one target that are processed together, and the reporting of each. */
export type LimitedBatch<Row, Outcome> = {
  readonly signal: AbortSignal;
  /** Aborted when the worker begins to stop: rows that have not begun are given back. */
  readonly draining: AbortSignal;
  end(row: Row, outcome: Outcome): void;
  fail(row: Row, error: unknown): void;
  /** Reports a row whose call has not begun: another worker may claim it at once. */
  giveBack(row: Row): void;
};

/** An entry of a limiter: a row and its batch. */
export type LimitedJob<Row, Outcome> = { readonly row: Row; readonly batch: LimitedBatch<Row, Outcome> };

/** Limits of one target, as in `CallLimiterOptions`. */
export type TargetLimits = Pick<CallLimiterOptions<never, never>, 'capacity' | 'isAhead'>;

export type LimitedQueueOptions<Row, Outcome, Target, Job extends LimitedJob<Row, Outcome>, Ready> = {
  readonly clock: Clock;
  /** Maximum rows in hand, as in the registration. */
  readonly maxInHand: number;
  /** Keeps the limiter of each target while the target is used. */
  readonly limiters: {
    get(target: Target): CallLimiter<Job, Ready> | undefined;
    set(target: Target, limiter: CallLimiter<Job, Ready>): unknown;
  };
  /** Called once per target. */
  readonly limitsOf: (target: Target, row: Row) => TargetLimits;
  /** True for a row that goes before others of its target. Absent: rows keep their order. */
  readonly isFirst?: (row: Row) => boolean;
  /** Ends all jobs of a target that must not be called. Null: it may be called. Absent: all targets may be called. */
  readonly refuse?: (target: Target, jobs: readonly Job[]) => Promise<void> | null;
  /** Defers jobs until these times, and ends them. */
  readonly putOff: (jobs: readonly Job[], dueAt: readonly Date[]) => Promise<void> | void;
  /** Prepares jobs and returns those that are ready; ends the others. Never rejects. */
  readonly prepare: (target: Target, jobs: readonly Job[]) => Promise<readonly Ready[]>;
  /** Runs jobs and calls `free` once for each, as in `CallLimiterOptions`. */
  readonly begin: (target: Target, ready: readonly Ready[], free: (tookMs: number | null) => void) => Promise<void>;
  /** Gives back prepared jobs that have not begun. */
  readonly giveBackReady: (target: Target, ready: readonly Ready[]) => Promise<void> | void;
  /** True if rows of other owners than these are due. Absent: the queue always claims at full speed. */
  readonly hasOtherOwnersDue?: (owners: ReadonlySet<string>) => Promise<boolean>;
};

/** Rows of one target. */
export type LimitedGroup<Row, Outcome, Target, Job> = {
  readonly target: Target;
  readonly rows: readonly Row[];
  readonly jobOf: (row: Row, batch: LimitedBatch<Row, Outcome>) => Job;
};

type Done<Row, Outcome> = (row: Row, outcome: Outcome) => void;

export type LimitedQueue<Row extends LeaseKey, Outcome, Target, Job> = {
  /** As `Registration.claimLimit`; no limit if the queue is not throttled. */
  claimLimit(most: number): number;
  /** Records claimed rows: the owner of each. */
  claimed(owners: readonly string[]): void;
  /** Resolves when each row was reported. Throws after the last one has ended if one of them failed. */
  process(
    groups: readonly LimitedGroup<Row, Outcome, Target, Job>[],
    done: Done<Row, Outcome>,
    context: ProcessContext<Row>,
  ): Promise<void>;
};

/** Reports rows to the worker, and resolves when each of them was reported. */
const batchOf = <Row extends LeaseKey, Outcome>(
  rows: readonly Row[],
  done: Done<Row, Outcome>,
  { signal, draining, giveBack }: ProcessContext<Row>,
) => {
  const open = new Set(rows);
  const failures: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const close = (row: Row): void => {
    if (open.delete(row) && open.size === 0) resolve();
  };
  const batch: LimitedBatch<Row, Outcome> = {
    signal,
    draining,
    end: (row, outcome) => {
      done(row, outcome);
      close(row);
    },
    fail: (row, error) => {
      failures.push(error);
      close(row);
    },
    giveBack: (row) => {
      giveBack([row]);
      close(row);
    },
  };
  /** Resolves when each row was reported; throws the first failure. */
  const finished = async (): Promise<void> => {
    await promise;
    if (failures.length > 0) throw failures[0];
  };
  return { batch, finished };
};

export const limitedQueue = <Row extends LeaseKey, Outcome, Target, Job extends LimitedJob<Row, Outcome>, Ready>({
  clock,
  maxInHand,
  limiters,
  limitsOf,
  isFirst,
  refuse,
  putOff,
  prepare,
  begin,
  giveBackReady,
  hasOtherOwnersDue,
}: LimitedQueueOptions<Row, Outcome, Target, Job, Ready>): LimitedQueue<Row, Outcome, Target, Job> => {
  type Group = LimitedGroup<Row, Outcome, Target, Job>;
  // Whatever the limiters hold, a whole claim can still be processed.
  const budget = sharedBudget(maxInHand - MAX_CLAIM);
  const throttle = hasOtherOwnersDue && claimThrottle(hasOtherOwnersDue);

  const limiterOf = (target: Target, row: Row): CallLimiter<Job, Ready> => {
    const existing = limiters.get(target);
    if (existing) return existing;
    const made = callLimiter<Job, Ready>({
      ...limitsOf(target, row),
      budget,
      isFirst: isFirst && ((job) => isFirst(job.row)),
      prepare: (jobs) => prepare(target, jobs),
      begin: contained((ready, free) => {
        if (throttle === undefined) return begin(target, ready, free);
        return begin(target, ready, (tookMs) => {
          throttle.ended();
          free(tookMs);
        });
      }),
    });
    limiters.set(target, made);
    return made;
  };

  const giveBack = (jobs: readonly Job[]): void => {
    for (const { row, batch } of jobs) {
      throttle?.ended();
      batch.giveBack(row);
    }
  };

  /** Gives back the jobs that wait for a call to this target. */
  const withdraw = async (target: Target, limiter: CallLimiter<Job, Ready>): Promise<void> => {
    const { waiting, ready } = limiter.withdraw();
    giveBack(waiting);
    if (throttle) for (const _ of ready) throttle.ended();
    await giveBackReady(target, ready);
  };

  /** Defers jobs that a limiter does not take. */
  const putOffBeyond = async (limiter: CallLimiter<Job, Ready>, jobs: readonly Job[]): Promise<void> => {
    const now = clock.now().getTime();
    // Monotonic, since after a step of the wall clock the limiter would seem to be stuck, or busy for long.
    const monotonicMs = performance.now();
    // The limiter returns those that go first before the others.
    const first = isFirst ? jobs.filter(({ row }) => isFirst(row)).length : 0;
    const moments = [
      ...(first > 0 ? limiter.retryDelays(first, monotonicMs, true) : []),
      ...limiter.retryDelays(jobs.length - first, monotonicMs),
    ];
    throttle?.putOff(jobs.length, limiter.isFlowing(monotonicMs), monotonicMs);
    await putOff(
      jobs,
      moments.map((ms) => new Date(now + ms)),
    );
  };

  const addJobs = async (target: Target, limiter: CallLimiter<Job, Ready>, jobs: readonly Job[]): Promise<void> => {
    if (jobs[0]?.batch.draining.aborted) return giveBack(jobs);
    let remaining = jobs;
    try {
      const refused = refuse?.(target, jobs) ?? null;
      if (refused !== null) return await refused;
      remaining = limiter.add(jobs);
      if (remaining.length > 0) await putOffBeyond(limiter, remaining);
    } catch (error) {
      for (const { row, batch } of remaining) batch.fail(row, error);
    }
  };

  const processGroup = async (
    { target, rows, jobOf }: Group,
    limiter: CallLimiter<Job, Ready>,
    done: Done<Row, Outcome>,
    context: ProcessContext<Row>,
  ): Promise<void> => {
    const { batch, finished } = batchOf(rows, done, context);
    await addJobs(
      target,
      limiter,
      rows.map((row) => jobOf(row, batch)),
    );
    await finished();
  };

  return {
    claimLimit: (most) => throttle?.claimLimit(most, performance.now()) ?? most,
    claimed: (owners) => throttle?.claimed(owners, performance.now()),
    process: async (groups, done, context) => {
      const { draining } = context;
      const limited = groups.flatMap((group) => {
        const [first] = group.rows;
        return first === undefined ? [] : [{ group, limiter: limiterOf(group.target, first) }];
      });
      const drain = contained(() => waitForAll(limited.map(({ group, limiter }) => withdraw(group.target, limiter))));
      draining.addEventListener('abort', drain, { once: true });
      try {
        await waitForAll(limited.map(({ group, limiter }) => processGroup(group, limiter, done, context)));
      } finally {
        draining.removeEventListener('abort', drain);
      }
    },
  };
};
