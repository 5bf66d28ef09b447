import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StorageError } from '../errors.ts';
import type { Reading, ReadRows } from './reader.ts';

/** Maximum reader threads. Chosen: previews and builds use at most this many cores. */
const THREADS = 2;
/** How long an idle thread lives. Chosen. */
const IDLE_MS = 10_000;
/**
 * How long one statement may read. Chosen: a thousand times the time of a slice. Nothing stops SQLite within a
 * statement, so its thread is abandoned and ends with the statement.
 */
const MOST_MS = 30_000;
/** PostgreSQL's code of a cancelled statement. Source: PostgreSQL, appendix A. */
const CANCELED = '57014';

/** Reads a SQLite file and copies its log in separate threads, so that no caller waits for them. */
export type Readers = {
  /** Rows as arrays, as on disk. Throws StorageError. */
  read(text: string, params: readonly unknown[], mostMs?: number): Promise<unknown[]>;
  /** Copies the log into the file, except pages written meanwhile. Throws StorageError. */
  copyLog(): Promise<void>;
  /** Ends the threads. Throws nothing. */
  close(): Promise<void>;
};

type Task = Pick<Reading, 'path'> & Partial<Reading>;

// Next to this file in a checkout, and next to the bundle when installed.
const ownFile = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './reader.ts' : './reader.js', import.meta.url));

/**
 * Threads that start with the first read. Throws nothing.
 *
 * @returns null if the program has no file for a thread to run, as in a single executable
 */
export const sqliteReaders = (path: string, file: string = ownFile()): Readers | null => {
  if (!existsSync(file)) return null;
  const open = async () => {
    const { Piscina } = await import('piscina');
    return new Piscina<Task, ReadRows>({
      filename: file,
      ...{ minThreads: 0, maxThreads: THREADS, idleTimeout: IDLE_MS, concurrentTasksPerWorker: 1 },
      // Options of this process, such as a loader, are not passed to threads.
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
