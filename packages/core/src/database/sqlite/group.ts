import Database from 'better-sqlite3';
import { contained } from '../../foundation/contained.ts';
import { isPast, isWorthBeginning, type LockWaits, lockWaits } from '../in-time.ts';
import type { Connection } from './connection.ts';
import type { ConnectionMutex } from './mutex.ts';

/**
 * The commit queue of one SQLite file: jobs that arrive while one group is being written share the next group's
 * transaction, and so its fsync. There is no timer. Where one of them throws or gives up all are written again, each
 * in a savepoint of its own, so it takes nothing with it; every promise settles only after COMMIT.
 */
export type Group = {
  /** Runs a synchronous job in a shared transaction; `keep: false` undoes what it wrote and nothing else. */
  run<T>(job: () => { value: T; keep: boolean }, options?: JobOptions): Promise<T>;
};

export type JobOptions = {
  /** The job is many callers' already and waits for no more of them. */
  readonly isGathered?: boolean | undefined;
  /** Its deadline, after which it is not committed; with it goes nothing of the others. */
  readonly untilMs?: number | undefined;
  /** See `WriteSet`. Where all of a transaction may be, it is not waited for until it is on disk. */
  readonly mayBeLost?: boolean | undefined;
};

export type GroupHooks = {
  /** Called before each COMMIT; waiting holds it and throwing fails it, for every job of the group. */
  readonly beforeCommit?: (() => Promise<void> | void) | undefined;
  readonly committed?: (() => void) | undefined;
  /** Called before each BEGIN with the first deadline of the group. */
  readonly waitUntil?: ((untilMs: number) => void) | undefined;
};

type Job = {
  readonly untilMs: number;
  readonly mayBeLost: boolean;
  run(): boolean;
  resolve(): void;
  reject(error: unknown): void;
  failure: { error: unknown } | undefined;
};

/** Jobs per transaction. Source: natural batching, 1,000 rows per flush; a job is at least one row. */
const MAX_JOBS = 1_000;

/** Of the pragma `synchronous`: every commit is on disk when it is over. */
const FULL = 2;

/** One job's error that ended the transaction of all by itself, as a full disk does. */
class GroupLost extends Error {
  override readonly name = 'GroupLost';
}

/** Somebody's deadline passed within the transaction, which is written again without it. */
class SomeLate extends Error {
  override readonly name = 'SomeLate';
}

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
const isLate = ({ untilMs }: Job): boolean => isPast(untilMs);

/** The commit queue of a connection. */
export const commitGroup = (
  connection: Connection,
  mutex: ConnectionMutex,
  hooks: GroupHooks,
  waits: LockWaits = lockWaits(),
): Group => {
  const begin = connection.prepare('begin immediate');
  const commit = connection.prepare('commit');
  const rollback = connection.prepare('rollback');
  const savepoint = connection.prepare('savepoint job');
  const undo = connection.prepare('rollback to job');
  const release = connection.prepare('release job');
  const isSynced = connection.pragma('synchronous', { simple: true }) === FULL;
  let pending: Job[] = [];
  let isFlushing = false;

  const attempt = (job: Job): void => {
    job.failure = undefined;
    savepoint.run();
    try {
      if (!job.run()) undo.run();
    } catch (error) {
      if (!connection.inTransaction) throw new GroupLost('the transaction is gone', { cause: error });
      undo.run();
      job.failure = { error };
    }
    release.run();
  };

  /** False: one of them gave up or, among others, threw; all that they wrote has to be undone. */
  const attemptAll = (jobs: readonly Job[]): boolean => {
    try {
      return jobs.every((job) => job.run());
    } catch (error) {
      if (jobs.length === 1) throw error;
      return false;
    }
  };

  /** Runs a transaction that is on disk when it is over, unless all of it may be lost. */
  const lasting = async (jobs: readonly Job[], work: () => Promise<void>): Promise<void> => {
    if (!isSynced || !jobs.every(({ mayBeLost }) => mayBeLost)) return work();
    // Not by a prepared statement: it would set what it found when it was prepared.
    connection.pragma('synchronous = NORMAL');
    try {
      await work();
    } finally {
      connection.pragma('synchronous = FULL');
    }
  };

  const write = async (jobs: readonly Job[], isApart: boolean): Promise<void> => {
    hooks.waitUntil?.(Math.min(...jobs.map(({ untilMs }) => untilMs)));
    const askedMs = performance.now();
    try {
      begin.run();
    } finally {
      // SQLite waits for another process's lock without letting anything else run.
      waits.ended(askedMs);
    }
    try {
      // The transaction itself is their savepoint: a real one copies every page that its job touches, and few jobs fail.
      if (isApart) for (const job of jobs) attempt(job);
      else if (!attemptAll(jobs)) {
        if (connection.inTransaction) rollback.run();
        if (jobs.length > 1) await write(jobs, true);
        return;
      }
      // Without the hook nothing is awaited between BEGIN and COMMIT, so that another connection of this process
      // cannot block it in mid-transaction.
      if (hooks.beforeCommit) await hooks.beforeCommit();
      if (jobs.some(isLate)) throw new SomeLate('a deadline passed');
      commit.run();
    } catch (error) {
      if (connection.inTransaction) rollback.run();
      throw error;
    }
    hooks.committed?.();
  };

  /** Writes jobs and settles them. A lost group is written again in halves, until the culprit is alone. */
  const settle = async (all: readonly Job[]): Promise<void> => {
    const { late = [], inTime: jobs = [] } = Object.groupBy(all, (job) => (isLate(job) ? 'late' : 'inTime'));
    for (const { reject, untilMs } of late) reject(waits.late(untilMs));
    if (jobs.length === 0) return;
    try {
      await lasting(jobs, () => write(jobs, false));
    } catch (error) {
      if (error instanceof SomeLate) return settle(jobs);
      // Who waits for a lock longer than one of them has left goes on without that one.
      const patient = isBusy(error) ? jobs.filter(({ untilMs }) => isWorthBeginning(untilMs)) : jobs;
      if (patient.length > 0 && patient.length < jobs.length) {
        for (const job of jobs) if (!patient.includes(job)) job.reject(error);
        return settle(patient);
      }
      const isLost = error instanceof GroupLost;
      if (isLost && jobs.length > 1) {
        const middle = jobs.length >> 1;
        await settle(jobs.slice(0, middle));
        await settle(jobs.slice(middle));
        return;
      }
      for (const { reject, failure } of jobs) reject(failure ? failure.error : isLost ? error.cause : error);
      return;
    }
    for (const { resolve, reject, failure } of jobs) {
      if (failure) reject(failure.error);
      else resolve();
    }
  };

  const flush = async (): Promise<void> => {
    if (isFlushing) return;
    isFlushing = true;
    try {
      while (pending.length > 0) {
        if (mutex.isTired()) await mutex.rest();
        // Taken when the turn comes: whatever arrived while others had the connection is part of the group.
        await mutex.exclusive(() => {
          const jobs = pending.slice(0, MAX_JOBS);
          pending = pending.slice(MAX_JOBS);
          return settle(jobs);
        });
      }
    } finally {
      isFlushing = false;
    }
  };

  return {
    run: <T>(
      work: () => { value: T; keep: boolean },
      { isGathered = false, untilMs = Number.POSITIVE_INFINITY, mayBeLost = false }: JobOptions = {},
    ) => {
      mutex.refuseInside();
      return new Promise<T>((resolve, reject) => {
        let value: T;
        pending.push({
          untilMs,
          mayBeLost,
          run: () => {
            const done = work();
            value = done.value;
            return done.keep;
          },
          resolve: () => resolve(value),
          reject,
          failure: undefined,
        });
        if (isFlushing) return;
        if (isGathered) queueMicrotask(contained(flush));
        else if (pending.length === 1) setImmediate(contained(flush));
      });
    },
  };
};
