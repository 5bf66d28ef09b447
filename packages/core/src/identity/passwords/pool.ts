// Threads that hash passwords, so that neither the event loop nor the threads of libuv do. Every task runs to its end:
// aborting a running piscina task kills its thread, and the next task takes four times as long to start a new one.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { hashPassword, memoryOf, NEW_HASH_MEMORY, verifyHash } from './formats/formats.ts';
import { asyncKdf } from './formats/kdf.ts';
import type { ParsedHash } from './formats/parsed.ts';
import type { HashTask } from './hash-thread.ts';

/** Most threads. Chosen: 8 threads verify about 400 passwords per second. */
const MAX_THREADS = 8;
/** Memory per thread. Source: the cap of an argon2 hash (formats/argon2.ts). */
const MIB_PER_THREAD = 64;
const MIB = 1_048_576;
/** How long an idle thread lives. Chosen: a quiet service still signs people in without starting a thread each time. */
const IDLE_MS = 60_000;

export type HashPool = {
  /** Tasks that run at the same time. */
  readonly threads: number;
  /** A new hash as a PHC string. */
  hash(password: string): Promise<string>;
  /** Compares a password with a hash. */
  verify(hash: ParsedHash, password: string): Promise<boolean>;
  /** Ends the threads once their tasks have ended. Later calls, and calls that still wait, reject with an Error. */
  close(): Promise<void>;
};

export type HashPoolOptions = {
  /** Default: one less than the cores, 1 to 8. */
  readonly threads?: number;
  /** Memory of all tasks in MiB; default 64 per thread. A hash that needs more than its share runs alone. */
  readonly memoryMiB?: number;
  /** The file that a thread runs; default: the one beside this file. */
  readonly file?: string;
};

/** Tasks without a thread pool of their own. */
type Runner = {
  hash(task: HashTask): Promise<string>;
  verify(task: HashTask): Promise<boolean>;
  close(): Promise<void>;
};

// Next to this file in a checkout, and next to the bundle when installed.
const threadFile = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './hash-thread.ts' : './hash-thread.js', import.meta.url));

const threadRunner = async (file: string, threads: number): Promise<Runner> => {
  const { Piscina } = await import('piscina');
  const pool = new Piscina<HashTask, string | boolean>({
    filename: file,
    ...{ minThreads: 0, maxThreads: threads, idleTimeout: IDLE_MS, concurrentTasksPerWorker: 1 },
    // Options of this process, such as a loader, are not passed to threads.
    execArgv: [],
  });
  return {
    hash: async (task) => String(await pool.run(task, { name: 'hash' })),
    verify: async (task) => (await pool.run(task, { name: 'verify' })) === true,
    close: () => pool.close(),
  };
};

/** A single executable has no file that a thread could run. */
const asyncRunner: Runner = {
  hash: ({ password }) => hashPassword(password, asyncKdf),
  verify: async ({ password, hash }) => hash !== undefined && verifyHash(hash, password, asyncKdf),
  close: async () => {},
};

type Waiting = { readonly isDear: boolean; readonly start: () => void; readonly cancel: (error: Error) => void };

/** Starts tasks in order, at most `threads` at once; a dear one waits until no other runs, and others wait for its end. */
const gate = (threads: number) => {
  const waiting: Waiting[] = [];
  let running = 0;
  let isAlone = false;
  let isClosed = false;
  const startNext = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isAlone || running >= threads || (next.isDear && running > 0)) return;
      waiting.shift();
      running += 1;
      isAlone = next.isDear;
      next.start();
    }
  };
  const closed = (): Error => new Error('The password hash pool is closed.');
  return {
    run: async <T>(isDear: boolean, work: () => Promise<T>): Promise<T> => {
      if (isClosed) throw closed();
      await new Promise<void>((start, cancel) => {
        waiting.push({ isDear, start, cancel });
        startNext();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        isAlone = false;
        startNext();
      }
    },
    close: () => {
      isClosed = true;
      for (const { cancel } of waiting.splice(0)) cancel(closed());
    },
  };
};

const defaultThreads = (): number => Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));

/**
 * A pool whose threads start with the first call. In a program without the file of the thread, such as a single
 * executable, it hashes one password at a time by the asynchronous functions.
 */
export const hashPool = (options: HashPoolOptions = {}): HashPool => {
  const file = options.file ?? threadFile();
  const hasFile = existsSync(file);
  const threads = hasFile ? (options.threads ?? defaultThreads()) : 1;
  const bytesPerThread = ((options.memoryMiB ?? threads * MIB_PER_THREAD) * MIB) / threads;
  const { run, close } = gate(threads);
  let opened: Promise<Runner> | undefined;
  const runner = (): Promise<Runner> => {
    opened ??= hasFile ? threadRunner(file, threads) : Promise.resolve(asyncRunner);
    return opened;
  };
  return {
    threads,
    hash: (password) => run(NEW_HASH_MEMORY > bytesPerThread, async () => (await runner()).hash({ password })),
    verify: (hash, password) =>
      run(memoryOf(hash) > bytesPerThread, async () => (await runner()).verify({ hash, password })),
    close: async () => {
      close();
      await (await opened)?.close();
    },
  };
};
