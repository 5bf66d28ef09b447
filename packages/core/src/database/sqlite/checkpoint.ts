import { contained } from '../../foundation/contained.ts';
import { storageErrors } from '../errors.ts';
import type { Connection } from './connection.ts';

/** The log is copied into the file after this long without writes. Chosen. */
const IDLE_MS = 500;
/**
 * Pages of the log (4 KiB each) above which it is copied. Measured: the longest commit takes 46 ms at 16,000 pages, 36
 * at 4,000 and 17 at 1,000, where all commits cost 10 % more. Source: performance design, the whole path, profiled.
 */
const MAX_LOG_PAGES = 4_000;
/** With a thread: above this number, a commit itself copies what the thread has not. Chosen. */
const MAX_THREAD_LOG_PAGES = 16_000;
/** Pages that the writer copies itself. Chosen: for fewer pages, the sync of the file dominates, 2 to 20 ms. */
const MAX_WRITER_PAGES = 250;
/** How often a commit checks the length of the log. Chosen: the check costs as much as a small statement. */
const CHECK_MS = 5;
/** Delay of the next check if the thread could not copy everything. Chosen. */
const RETRY_MS = 1_000;

export type CheckpointOptions = {
  /** Called with errors of background copies, such as a full disk; a later commit starts the next copy. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Copies the log in another thread, except pages written meanwhile. */
  readonly copyInThread?: (() => Promise<void>) | undefined;
};

/**
 * Decides when the write-ahead log is copied into the file: in idle moments, and at 16 MB under any load. Measured:
 * SQLite's default of 1,000 pages cost a fifth of each commit under load. A thread copies nearly all of it while others
 * write, and the writer copies the few pages that came meanwhile, since the log restarts only when all of it is in the
 * file.
 */
export const checkpoints = (connection: Connection, { onError, copyInThread }: CheckpointOptions = {}) => {
  connection.pragma(`wal_autocheckpoint = ${copyInThread ? MAX_THREAD_LOG_PAGES : MAX_LOG_PAGES}`);
  const log = copyInThread && connection.prepare('pragma wal_checkpoint(NOOP)').raw();
  let timer: NodeJS.Timeout | undefined;
  let copying: Promise<void> | undefined;
  let nextCheckMs = 0;
  /** Pages left after the thread's last round. */
  let previousLeft = Number.POSITIVE_INFINITY;

  const isBusy = (): boolean => copying !== undefined || !connection.open || connection.inTransaction;
  // PASSIVE never waits: pages that a reader still needs stay for the next time.
  const copyByWriter = (): void => {
    storageErrors.sync(() => connection.pragma('wal_checkpoint(PASSIVE)'));
  };
  /** Copies the rest of a log of at least this many pages. */
  const copy = (least: number): Promise<void> | undefined => {
    if (isBusy()) return undefined;
    // Safe: it returns three numbers: whether another copy runs, the pages of the log, and the copied pages.
    const [, all = 0, copied = 0] = (log?.get() ?? []) as number[];
    const left = all - copied;
    if (copyInThread && (all < least || left === 0)) return undefined;
    const isShrinking = left < previousLeft;
    previousLeft = Number.POSITIVE_INFINITY;
    if (!copyInThread || left <= MAX_WRITER_PAGES) copyByWriter();
    else if (isShrinking) {
      previousLeft = left;
      copying = runThreadCopy(copyInThread);
      // Otherwise a reader needs the pages, or writes outpace the copy.
    } else nextCheckMs = performance.now() + RETRY_MS;
    return copying;
  };
  const runThreadCopy = async (copyLog: () => Promise<void>): Promise<void> => {
    try {
      await copyLog();
    } catch (error) {
      previousLeft = Number.POSITIVE_INFINITY;
      nextCheckMs = performance.now() + RETRY_MS;
      throw error;
    } finally {
      copying = undefined;
    }
    return copy(1);
  };
  const copyIdle = contained(() => copy(1), onError);
  const copyLong = contained(() => copy(MAX_LOG_PAGES), onError);

  const checkLength = (): void => {
    const nowMs = performance.now();
    if (nowMs < nextCheckMs) return;
    nextCheckMs = nowMs + CHECK_MS;
    copyLong();
  };
  return {
    committed: (): void => {
      if (copyInThread) checkLength();
      if (timer) timer.refresh();
      else timer = setTimeout(copyIdle, IDLE_MS).unref();
    },
    /** Resolves when no thread is copying. Throws nothing. */
    copied: async (): Promise<void> => {
      await copying?.catch(() => undefined);
    },
    stop: (): void => clearTimeout(timer),
  };
};
