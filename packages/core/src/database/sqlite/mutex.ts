import { AsyncLocalStorage } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { nextTurn } from '../../foundation/contained.ts';

/**
 * Serialises the use of one connection. Transactions run one after another; while one runs or waits, all other work
 * queues behind it, so that an outside write is never part of a rollback.
 */
export type ConnectionMutex = {
  /** Runs a synchronous job now, or in order while a transaction is open. */
  outside<T>(job: () => T): Promise<T>;
  /** Runs a job that has the connection exclusively until it settles. */
  exclusive<T>(job: () => Promise<T>): Promise<T>;
  /** Throws inside an exclusive job, which would wait for itself forever. */
  refuseInside(): void;
  /** True if timers and sockets have waited long enough. */
  isYieldDue(): boolean;
  /** Lets one macrotask run. */
  yieldTurn(): Promise<void>;
};

/**
 * SQLite's calls resolve in microtasks, which starve timers and sockets; after this long one macrotask runs. Chosen:
 * with 10 the rate and CPU of single events are the same, and an event during a flood waits longer.
 */
const YIELD_AFTER_MS = 4;

/** A mutex for one connection. `outside` and `exclusive` throw inside an exclusive job. */
export const connectionMutex = (): ConnectionMutex => {
  // Code that an exclusive job leaves running is no longer inside once the job has ended.
  const inside = new AsyncLocalStorage<{ isOver: boolean }>();
  let transactions = 0;
  /** Jobs that wait or run in the queue. */
  let queued = 0;
  let tail: Promise<unknown> = Promise.resolve();
  let yieldedAtMs = performance.now();

  const enqueue = <T>(job: () => T | Promise<T>): Promise<T> => tail.then(job);
  const start = async <T>(job: () => T | Promise<T>): Promise<T> => job();
  const dequeue = (): void => {
    queued -= 1;
  };
  /** Runs a job at once if the queue is empty, else after the earlier ones. */
  const runInOrder = <T>(job: () => T | Promise<T>): Promise<T> => {
    const isFree = queued === 0;
    queued += 1;
    const turn = isFree ? start(job) : enqueue(job);
    tail = turn.then(dequeue, dequeue);
    return turn;
  };
  const yieldTurn = async (): Promise<void> => {
    await nextTurn();
    yieldedAtMs = performance.now();
  };
  const isYieldDue = (): boolean => performance.now() - yieldedAtMs > YIELD_AFTER_MS;
  const refuseInside = (): void => {
    if (inside.getStore()?.isOver === false)
      throw new Error('inside a transaction only its own database handle may be used');
  };

  return {
    refuseInside,
    isYieldDue,
    yieldTurn,
    outside: async (job) => {
      refuseInside();
      if (isYieldDue()) await yieldTurn();
      // The check and the job run in one tick: with an await between them, a transaction could start in the gap.
      return transactions > 0 ? runInOrder(job) : job();
    },
    exclusive: async (job) => {
      refuseInside();
      transactions += 1;
      const turn = { isOver: false };
      try {
        return await runInOrder(() => inside.run(turn, job));
      } finally {
        turn.isOver = true;
        transactions -= 1;
      }
    },
  };
};

const files = new Map<string, WeakRef<ConnectionMutex>>();

/**
 * The mutex of all connections of this process to an existing file. SQLite allows one writer and blocks the process
 * while waiting for another, so without it a transaction of this process could never end while another connection waits
 * for it.
 */
export const fileMutex = (path: string): ConnectionMutex => {
  const file = realpathSync(path);
  const existing = files.get(file)?.deref();
  if (existing) return existing;
  const mutex = connectionMutex();
  files.set(file, new WeakRef(mutex));
  return mutex;
};
