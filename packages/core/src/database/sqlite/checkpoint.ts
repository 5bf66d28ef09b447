import { contained } from '../../foundation/contained.ts';
import { storageErrors } from '../errors.ts';
import type { Connection } from './connection.ts';

/** The log is copied into the file once nothing was written for this long. Ours. */
const IDLE_MS = 500;
/**
 * Pages of the log (4 KiB each) above which it is copied. The longest commit takes 46 ms at 16,000 pages, 36 at
 * 4,000 and 17 at 1,000, where all of them cost 10 % more. Source: performance design, the whole path, profiled.
 */
const MAX_LOG_PAGES = 4_000;
/** With a thread: above so many a commit copies what the thread has not. Ours. */
const MOST_LOG_PAGES = 16_000;
/** Pages that the writer copies by itself. Ours: of fewer it is the sync of the file that takes the time, 2 to 20 ms. */
const REST_PAGES = 250;
/** How often a commit looks how long the log is; ours: it costs as much as a small statement. */
const LOOK_MS = 5;
/** When it looks again where the thread did not get to the end. Ours. */
const AGAIN_MS = 1_000;

export type CheckpointOptions = {
  /** Hears of a copy behind the commits that failed, as on a full disk; a later one brings the next. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Copies the log in another thread, but for what is written meanwhile. */
  readonly aside?: (() => Promise<void>) | undefined;
};

/**
 * When the write-ahead log goes back into the file: in idle moments, and at 16 MB whatever the load. SQLite's default
 * of 1,000 pages cost a fifth of each commit under load. A thread copies nearly all of it while others write, and the
 * writer the few pages that came meanwhile, since the log begins anew only where all of it is in the file.
 */
export const checkpoints = (connection: Connection, { onError, aside }: CheckpointOptions = {}) => {
  connection.pragma(`wal_autocheckpoint = ${aside ? MOST_LOG_PAGES : MAX_LOG_PAGES}`);
  const log = aside && connection.prepare('pragma wal_checkpoint(NOOP)').raw();
  let timer: NodeJS.Timeout | undefined;
  let copying: Promise<void> | undefined;
  let lookAtMs = 0;
  /** What the thread had left in its last round. */
  let leftBefore = Number.POSITIVE_INFINITY;

  const isBusy = (): boolean => copying !== undefined || !connection.open || connection.inTransaction;
  // PASSIVE never waits: what a reader still needs stays for the next time.
  const copyHere = (): void => {
    storageErrors.sync(() => connection.pragma('wal_checkpoint(PASSIVE)'));
  };
  /** Copies what is left of a log of at least so many pages. */
  const copy = (least: number): Promise<void> | undefined => {
    if (isBusy()) return undefined;
    // Safe: it answers three numbers: whether another one copies, the pages of the log, and those that are copied.
    const [, all = 0, copied = 0] = (log?.get() ?? []) as number[];
    const left = all - copied;
    if (aside && (all < least || left === 0)) return undefined;
    const isLess = left < leftBefore;
    leftBefore = Number.POSITIVE_INFINITY;
    if (!aside || left <= REST_PAGES) copyHere();
    else if (isLess) {
      leftBefore = left;
      copying = copyAside(aside);
      // Else a reader needs it, or more is written than is copied.
    } else lookAtMs = performance.now() + AGAIN_MS;
    return copying;
  };
  const copyAside = async (copyLog: () => Promise<void>): Promise<void> => {
    try {
      await copyLog();
    } catch (error) {
      leftBefore = Number.POSITIVE_INFINITY;
      lookAtMs = performance.now() + AGAIN_MS;
      throw error;
    } finally {
      copying = undefined;
    }
    return copy(1);
  };
  const copyIdle = contained(() => copy(1), onError);
  const copyLong = contained(() => copy(MAX_LOG_PAGES), onError);

  const look = (): void => {
    const nowMs = performance.now();
    if (nowMs < lookAtMs) return;
    lookAtMs = nowMs + LOOK_MS;
    copyLong();
  };
  return {
    committed: (): void => {
      if (aside) look();
      if (timer) timer.refresh();
      else timer = setTimeout(copyIdle, IDLE_MS).unref();
    },
    /** Resolves once no thread is copying. Throws nothing. */
    copied: async (): Promise<void> => {
      await copying?.catch(() => undefined);
    },
    stop: (): void => clearTimeout(timer),
  };
};
