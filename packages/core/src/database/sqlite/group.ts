// The commit queue of one SQLite file: enqueue and flush. There is no timer.
//
//   run --> queue --(flush)--> BEGIN, all jobs, COMMIT --> every promise settles
//             ^ jobs that arrive while a transaction is written share the next one, and so its fsync
//
// What ends a transaction early, and what follows for its jobs:
//
//   a job throws or gives up      all run again, each in a savepoint of its own, so that it undoes nothing else
//   a deadline passes             again without the late jobs
//   another process has the lock  again without the jobs that have no time left
//   the transaction is lost       again in halves, until the job that loses it (it fills the disk) is alone
//   anything else                 every job fails

import Database from 'better-sqlite3';
import { contained } from '../../foundation/contained.ts';
import { hasTimeToStart, isPast, type LockWaits, lockWaits } from '../deadlines.ts';
import type { Connection } from './connection.ts';
import type { ConnectionMutex } from './mutex.ts';

export type Group = {
  /** Runs a synchronous job in a shared transaction; `keep: false` rolls back its writes and nothing else. */
  run<T>(job: () => { value: T; keep: boolean }, options?: JobOptions): Promise<T>;
};

export type JobOptions = {
  /** The job has the rows of many callers: it starts a flush without waiting for further jobs. */
  readonly isGathered?: boolean | undefined;
  /** Deadline after which the job is not committed; other jobs are not affected. */
  readonly untilMs?: number | undefined;
  /** See `WriteSet`. If all jobs of a transaction have it, the commit does not wait for the disk. */
  readonly mayBeLost?: boolean | undefined;
};

export type GroupHooks = {
  /** Called before each COMMIT; waiting delays it and throwing fails it, for every job of the group. */
  readonly beforeCommit?: (() => Promise<void> | void) | undefined;
  readonly committed?: (() => void) | undefined;
  /** Called before each BEGIN with the earliest deadline of the group. */
  readonly waitUntil?: ((untilMs: number) => void) | undefined;
};

type Job = {
  readonly untilMs: number;
  readonly mayBeLost: boolean;
  /** False: the job gave up, and its writes must be rolled back. */
  run(): boolean;
  resolve(): void;
  reject(error: unknown): void;
  failure: { error: unknown } | undefined;
};

type Queue = {
  readonly connection: Connection;
  readonly mutex: ConnectionMutex;
  readonly hooks: GroupHooks;
  readonly waits: LockWaits;
  readonly statements: ReturnType<typeof transactionStatements>;
  /** True if every commit waits for the disk. */
  readonly isSynced: boolean;
  pending: Job[];
  isFlushing: boolean;
};

/** Maximum jobs per transaction. Source: natural batching, 1,000 rows per flush; a job is at least one row. */
const MAX_JOBS = 1_000;

/** Value of the pragma `synchronous` with which every commit waits for the disk. */
const FULL = 2;

/** A job's error that ended the shared transaction, such as a full disk. */
class GroupLost extends Error {
  override readonly name = 'GroupLost';
}

/** A job's deadline passed within the transaction, which is repeated without the job. */
class DeadlinePassed extends Error {
  override readonly name = 'SomeLate';
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
const isLate = ({ untilMs }: Job): boolean => isPast(untilMs);

const transactionStatements = (connection: Connection) => ({
  begin: connection.prepare('begin immediate'),
  commit: connection.prepare('commit'),
  rollback: connection.prepare('rollback'),
  savepoint: connection.prepare('savepoint job'),
  undo: connection.prepare('rollback to job'),
  release: connection.prepare('release job'),
});

/** The commit queue of a connection. */
export const commitGroup = (
  connection: Connection,
  mutex: ConnectionMutex,
  hooks: GroupHooks,
  waits: LockWaits = lockWaits(),
): Group => {
  const isSynced = connection.pragma('synchronous', { simple: true }) === FULL;
  const statements = transactionStatements(connection);
  const queue: Queue = { connection, mutex, hooks, waits, statements, isSynced, pending: [], isFlushing: false };
  return { run: (work, options = {}) => enqueue(queue, work, options) };
};

const enqueue = <T>(
  queue: Queue,
  work: () => { value: T; keep: boolean },
  { isGathered = false, untilMs = Number.POSITIVE_INFINITY, mayBeLost = false }: JobOptions,
): Promise<T> => {
  queue.mutex.refuseInside();
  return new Promise<T>((resolve, reject) => {
    let value: T;
    const run = (): boolean => {
      const done = work();
      value = done.value;
      return done.keep;
    };
    queue.pending.push({ untilMs, mayBeLost, run, resolve: () => resolve(value), reject, failure: undefined });
    if (queue.isFlushing) return;
    if (isGathered) queueMicrotask(contained(() => flush(queue)));
    else if (queue.pending.length === 1) setImmediate(contained(() => flush(queue)));
  });
};

const flush = async (queue: Queue): Promise<void> => {
  const { mutex } = queue;
  if (queue.isFlushing) return;
  queue.isFlushing = true;
  try {
    while (queue.pending.length > 0) {
      if (mutex.isYieldDue()) await mutex.yieldTurn();
      // Taken at its turn, so that jobs that arrived while others had the connection join the group.
      await mutex.exclusive(() => commitJobs(queue, queue.pending.splice(0, MAX_JOBS)));
    }
  } finally {
    queue.isFlushing = false;
  }
};

/** Commits jobs and settles their promises, in as many transactions as needed. Throws nothing. */
const commitJobs = async (queue: Queue, all: readonly Job[]): Promise<void> => {
  const { late = [], inTime: jobs = [] } = Object.groupBy(all, (job) => (isLate(job) ? 'late' : 'inTime'));
  for (const { reject, untilMs } of late) reject(queue.waits.lateError(untilMs));
  if (jobs.length === 0) return;
  try {
    await transact(queue, jobs);
  } catch (error) {
    if (error instanceof DeadlinePassed) return commitJobs(queue, jobs);
    const remaining = isBusy(error) ? jobs.filter(({ untilMs }) => hasTimeToStart(untilMs)) : jobs;
    if (remaining.length > 0 && remaining.length < jobs.length) {
      for (const job of jobs) if (!remaining.includes(job)) job.reject(error);
      return commitJobs(queue, remaining);
    }
    const isLost = error instanceof GroupLost;
    if (isLost && jobs.length > 1) {
      const middle = jobs.length >> 1;
      await commitJobs(queue, jobs.slice(0, middle));
      return commitJobs(queue, jobs.slice(middle));
    }
    for (const { reject, failure } of jobs) reject(failure ? failure.error : isLost ? error.cause : error);
    return;
  }
  for (const { resolve, reject, failure } of jobs) {
    if (failure) reject(failure.error);
    else resolve();
  }
};

/** Runs a transaction that waits for the disk, unless all of its jobs may be lost. */
const transact = async (queue: Queue, jobs: readonly Job[]): Promise<void> => {
  if (!queue.isSynced || !jobs.every(({ mayBeLost }) => mayBeLost)) return write(queue, jobs, false);
  // Not a prepared statement: it would set the level that was current when it was prepared.
  queue.connection.pragma('synchronous = NORMAL');
  try {
    await write(queue, jobs, false);
  } finally {
    queue.connection.pragma('synchronous = FULL');
  }
};

const write = async (queue: Queue, jobs: readonly Job[], usesSavepoints: boolean): Promise<void> => {
  const { connection, hooks, statements, waits } = queue;
  hooks.waitUntil?.(Math.min(...jobs.map(({ untilMs }) => untilMs)));
  const startMs = performance.now();
  try {
    statements.begin.run();
  } finally {
    // SQLite blocks the process while it waits for another process's lock.
    waits.ended(startMs);
  }
  try {
    // The transaction serves as their savepoint: a real one copies every page that its job touches, and few jobs fail.
    if (usesSavepoints) for (const job of jobs) runInSavepoint(queue, job);
    else if (!runAll(jobs)) {
      if (connection.inTransaction) statements.rollback.run();
      if (jobs.length > 1) await write(queue, jobs, true);
      return;
    }
    // Without the hook nothing is awaited between BEGIN and COMMIT, so another connection of this process cannot block
    // it in mid-transaction.
    if (hooks.beforeCommit) await hooks.beforeCommit();
    if (jobs.some(isLate)) throw new DeadlinePassed('a deadline passed');
    statements.commit.run();
  } catch (error) {
    if (connection.inTransaction) statements.rollback.run();
    throw error;
  }
  hooks.committed?.();
};

/** False: a job gave up or, with others in the group, threw; all writes must be rolled back. */
const runAll = (jobs: readonly Job[]): boolean => {
  try {
    return jobs.every((job) => job.run());
  } catch (error) {
    if (jobs.length === 1) throw error;
    return false;
  }
};

const runInSavepoint = ({ connection, statements }: Queue, job: Job): void => {
  job.failure = undefined;
  statements.savepoint.run();
  try {
    if (!job.run()) statements.undo.run();
  } catch (error) {
    if (!connection.inTransaction) throw new GroupLost('the transaction is gone', { cause: error });
    statements.undo.run();
    job.failure = { error };
  }
  statements.release.run();
};
