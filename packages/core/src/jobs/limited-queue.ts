// Work of a queue whose rows are calls to others: each target (a provider connection, a webhook) has a call limiter.
//
//   process --> groups by target --> limiter --> prepare --> begin --> end or fail
//                                       |
//                                       +-- does not fit: put off, without using an attempt
//
//   the worker stops   rows that have not begun are given back
//   a row fails        the batch throws once its last row has ended
//   rows do not fit    with `isAnyoneBehind` the queue claims more slowly (pace.ts)

import type { LeaseKey } from '../database/statements/claim.ts';
import { allEnded } from '../foundation/wait-for-all.ts';
import type { Clock } from '../foundation/clock.ts';
import { contained } from '../foundation/contained.ts';
import { type CallLimiter, type CallLimiterOptions, callLimiter } from './concurrency/calls/limiter.ts';
import { claimPace } from './concurrency/calls/pace.ts';
import { sharedBudget } from './concurrency/calls/shared-budget.ts';
import { MAX_CLAIM, type ProcessContext } from './registration.ts';

/** Rows of one target that are processed together, and how each of them is reported. */
export type LimitedBatch<Row, Outcome> = {
  readonly signal: AbortSignal;
  /** Aborted as soon as the worker is told to stop: rows that have not begun are given back. */
  readonly draining: AbortSignal;
  end(row: Row, outcome: Outcome): void;
  fail(row: Row, error: unknown): void;
  /** Reports a row whose call has not begun: another worker may claim it now. */
  giveBack(row: Row): void;
};

/** What waits in a limiter: a row and its batch. */
export type LimitedJob<Row, Outcome> = { readonly row: Row; readonly batch: LimitedBatch<Row, Outcome> };

/** What a call limiter is to know of one target, as `CallLimiterOptions` says. */
export type TargetLimits = Pick<CallLimiterOptions<never, never>, 'capacity' | 'isAhead'>;

export type LimitedQueueOptions<Row, Outcome, Target, Job extends LimitedJob<Row, Outcome>, Ready> = {
  readonly clock: Clock;
  /** Rows in hand at most, as the registration says. */
  readonly maxInHand: number;
  /** Holds the limiter of each target for as long as the target is used. */
  readonly limiters: {
    get(target: Target): CallLimiter<Job, Ready> | undefined;
    set(target: Target, limiter: CallLimiter<Job, Ready>): unknown;
  };
  /** Called once per target. */
  readonly limitsOf: (target: Target, row: Row) => TargetLimits;
  /** Ends all jobs of a target that must not be called. Null: it may be called. Absent: all targets may. */
  readonly refuse?: (target: Target, jobs: readonly Job[]) => Promise<void> | null;
  /** Puts jobs off until these moments, and ends them. */
  readonly putOff: (jobs: readonly Job[], dueAt: readonly Date[]) => Promise<void> | void;
  /** Makes jobs ready and answers those that are; ends the others. Never rejects. */
  readonly prepare: (target: Target, jobs: readonly Job[]) => Promise<readonly Ready[]>;
  /** Runs jobs, and calls `free` once for each, as `CallLimiterOptions` says. */
  readonly begin: (target: Target, ready: readonly Ready[], free: (tookMs: number | null) => void) => Promise<void>;
  /** Gives back jobs that are ready and have not begun. */
  readonly giveBackReady: (target: Target, ready: readonly Ready[]) => Promise<void> | void;
  /** Whether rows are due of other owners than these. Absent: the queue always claims at full speed. */
  readonly isAnyoneBehind?: (owners: ReadonlySet<string>) => Promise<boolean>;
};

/** Rows of one target. */
export type LimitedGroup<Row, Outcome, Target, Job> = {
  readonly target: Target;
  readonly rows: readonly Row[];
  readonly jobOf: (row: Row, batch: LimitedBatch<Row, Outcome>) => Job;
};

type Done<Row, Outcome> = (row: Row, outcome: Outcome) => void;

export type LimitedQueue<Row extends LeaseKey, Outcome, Target, Job> = {
  /** As `Registration.room`; all of them where the queue is not paced. */
  room(most: number): number;
  /** Rows were claimed: the owner of each of them. */
  claimed(owners: readonly string[]): void;
  /** Resolves when each row was reported. Throws when the last one has ended and one of them failed. */
  process(
    groups: readonly LimitedGroup<Row, Outcome, Target, Job>[],
    done: Done<Row, Outcome>,
    context: ProcessContext<Row>,
  ): Promise<void>;
};

/** Reports rows to the worker, and tells when each of them was reported. */
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
  refuse,
  putOff,
  prepare,
  begin,
  giveBackReady,
  isAnyoneBehind,
}: LimitedQueueOptions<Row, Outcome, Target, Job, Ready>): LimitedQueue<Row, Outcome, Target, Job> => {
  type Group = LimitedGroup<Row, Outcome, Target, Job>;
  // Whatever the limiters hold, a whole claim can still be looked at.
  const budget = sharedBudget(maxInHand - MAX_CLAIM);
  const pace = isAnyoneBehind && claimPace(isAnyoneBehind);

  const limiterOf = (target: Target, row: Row): CallLimiter<Job, Ready> => {
    const known = limiters.get(target);
    if (known) return known;
    const made = callLimiter<Job, Ready>({
      ...limitsOf(target, row),
      budget,
      prepare: (jobs) => prepare(target, jobs),
      begin: contained((ready, free) => {
        if (pace === undefined) return begin(target, ready, free);
        return begin(target, ready, (tookMs) => {
          pace.ended();
          free(tookMs);
        });
      }),
    });
    limiters.set(target, made);
    return made;
  };

  const giveBack = (jobs: readonly Job[]): void => {
    for (const { row, batch } of jobs) {
      pace?.ended();
      batch.giveBack(row);
    }
  };

  /** Gives back what waits for its call to this target. */
  const withdraw = async (target: Target, limiter: CallLimiter<Job, Ready>): Promise<void> => {
    const { waiting, ready } = limiter.withdraw();
    giveBack(waiting);
    if (pace) for (const _ of ready) pace.ended();
    await giveBackReady(target, ready);
  };

  /** Puts off what a limiter does not take. */
  const putOffBeyond = async (limiter: CallLimiter<Job, Ready>, jobs: readonly Job[]): Promise<void> => {
    const now = clock.now().getTime();
    // Monotonic: after a step of the wall clock the limiter would seem to be stuck, or busy for long.
    const monotonicMs = performance.now();
    const moments = limiter.later(jobs.length, monotonicMs);
    pace?.putOff(jobs.length, limiter.isFlowing(monotonicMs), monotonicMs);
    await putOff(
      jobs,
      moments.map((ms) => new Date(now + ms)),
    );
  };

  const addJobs = async (target: Target, limiter: CallLimiter<Job, Ready>, jobs: readonly Job[]): Promise<void> => {
    if (jobs[0]?.batch.draining.aborted) return giveBack(jobs);
    let outside = jobs;
    try {
      const refused = refuse?.(target, jobs) ?? null;
      if (refused !== null) return await refused;
      outside = limiter.add(jobs);
      if (outside.length > 0) await putOffBeyond(limiter, outside);
    } catch (error) {
      for (const { row, batch } of outside) batch.fail(row, error);
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
    room: (most) => pace?.room(most, performance.now()) ?? most,
    claimed: (owners) => pace?.claimed(owners, performance.now()),
    process: async (groups, done, context) => {
      const { draining } = context;
      const limited = groups.flatMap((group) => {
        const [first] = group.rows;
        return first === undefined ? [] : [{ group, limiter: limiterOf(group.target, first) }];
      });
      const drain = contained(() => allEnded(limited.map(({ group, limiter }) => withdraw(group.target, limiter))));
      draining.addEventListener('abort', drain, { once: true });
      try {
        await allEnded(limited.map(({ group, limiter }) => processGroup(group, limiter, done, context)));
      } finally {
        draining.removeEventListener('abort', drain);
      }
    },
  };
};
