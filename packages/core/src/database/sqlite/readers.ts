import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StorageError } from '../errors.ts';
import type { Reading, ReadRows } from './reader.ts';

/** Threads that read at a time; ours: previews and builds take as many cores as this at most. */
const THREADS = 2;
/** How long a thread waits for work before it ends; ours. */
const IDLE_MS = 10_000;
/**
 * How long one statement may read; ours, a thousand times what a slice takes. Nothing stops SQLite within a statement: its
 * thread is given up, and ends with the statement.
 */
const MOST_MS = 30_000;
/** What PostgreSQL says of a statement that was ended. Source: PostgreSQL, appendix A. */
const CANCELED = '57014';

/** Works on a SQLite file in threads of its own, so that nobody waits for a long read, or for the log. */
export type Readers = {
  /** Rows as arrays, as they are on disk. Throws StorageError. */
  read(text: string, params: readonly unknown[], mostMs?: number): Promise<unknown[]>;
  /** Copies the log into the file, but for what is written meanwhile. Throws StorageError. */
  copyLog(): Promise<void>;
  /** Ends the threads. Throws nothing. */
  close(): Promise<void>;
};

type Task = Pick<Reading, 'path'> & Partial<Reading>;

// Beside this file in a checkout, and beside the bundle where it is installed.
const ownFile = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './reader.ts' : './reader.js', import.meta.url));

/**
 * Threads that begin with the first read. Throws nothing.
 *
 * @returns null where the program has no file for a thread to run, as in one that is a single file
 */
export const sqliteReaders = (path: string, file: string = ownFile()): Readers | null => {
  if (!existsSync(file)) return null;
  const open = async () => {
    const { Piscina } = await import('piscina');
    return new Piscina<Task, ReadRows>({
      filename: file,
      ...{ minThreads: 0, maxThreads: THREADS, idleTimeout: IDLE_MS, concurrentTasksPerWorker: 1 },
      // What this process was started with, such as a loader, is not for threads.
      execArgv: [],
    });
  };
  let pool: ReturnType<typeof open> | undefined;
  const run = async (name: 'read' | 'copyLog', task: Omit<Task, 'path'>, mostMs: number): Promise<unknown[]> => {
    pool ??= open();
    const signal = AbortSignal.timeout(mostMs);
    const whole = { ...task, path: resolve(path) };
    const answer = await (await pool).run(whole, { name, signal }).catch((error: unknown) => {
      throw signal.aborted ? new StorageError(CANCELED) : error;
    });
    if ('code' in answer) throw new StorageError(answer.code);
    return answer.rows;
  };
  return {
    read: (text, params, mostMs = MOST_MS) => run('read', { text, params }, mostMs),
    copyLog: async () => {
      await run('copyLog', {}, MOST_MS);
    },
    close: async () => {
      const open = await pool;
      await open?.destroy();
    },
  };
};
