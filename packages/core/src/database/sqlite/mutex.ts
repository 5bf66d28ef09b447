import { AsyncLocalStorage } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { nextTurn } from '../../foundation/contained.ts';

/**
 * Who may use the one connection, and when. Transactions run one after another; while one runs or waits, everything
 * else waits its turn in the same line, so that a write from outside is never inside somebody else's rollback.
 */
export type ConnectionMutex = {
  /** Runs a synchronous job now, or in its turn while a transaction is open. */
  outside<T>(job: () => T): Promise<T>;
  /** Runs a job that keeps the connection to itself until it settles. */
  exclusive<T>(job: () => Promise<T>): Promise<T>;
  /** Throws inside an exclusive job, where waiting for the mutex would be waiting for itself for ever. */
  refuseInside(): void;
  /** True when timers and sockets have waited long enough for their turn. */
  isTired(): boolean;
  /** Lets one macrotask through. */
  rest(): Promise<void>;
};

/**
 * SQLite answers in microtasks, which starve timers and sockets; after this long one macrotask is let through. Ours: with
 * 10 the rate and the CPU of single events are the same, and an event beside a flood waits longer.
 */
const REST_AFTER_MS = 4;

/** A mutex for one connection. `outside` and `exclusive` throw inside an exclusive job. */
export const connectionMutex = (): ConnectionMutex => {
  // Code that an exclusive job leaves running is inside no longer once the job is over.
  const inside = new AsyncLocalStorage<{ isOver: boolean }>();
  let transactions = 0;
  /** Jobs that wait or run in the line. */
  let queued = 0;
  let tail: Promise<unknown> = Promise.resolve();
  let rested = performance.now();

  const enqueue = <T>(job: () => T | Promise<T>): Promise<T> => tail.then(job);
  const start = async <T>(job: () => T | Promise<T>): Promise<T> => job();
  const leave = (): void => {
    queued -= 1;
  };
  /** Runs a job at once while the line is empty, else behind those that came before it. */
  const inTurn = <T>(job: () => T | Promise<T>): Promise<T> => {
    const isFree = queued === 0;
    queued += 1;
    const turn = isFree ? start(job) : enqueue(job);
    tail = turn.then(leave, leave);
    return turn;
  };
  const rest = async (): Promise<void> => {
    await nextTurn();
    rested = performance.now();
  };
  const isTired = (): boolean => performance.now() - rested > REST_AFTER_MS;
  const refuseInside = (): void => {
    if (inside.getStore()?.isOver === false)
      throw new Error('inside a transaction only its own database handle may be used');
  };

  return {
    refuseInside,
    isTired,
    rest,
    outside: async (job) => {
      refuseInside();
      if (isTired()) await rest();
      // Looking and running happen in one tick: an await between them would let a transaction start in the gap.
      return transactions > 0 ? inTurn(job) : job();
    },
    exclusive: async (job) => {
      refuseInside();
      transactions += 1;
      const turn = { isOver: false };
      try {
        return await inTurn(() => inside.run(turn, job));
      } finally {
        turn.isOver = true;
        transactions -= 1;
      }
    },
  };
};

const files = new Map<string, WeakRef<ConnectionMutex>>();

/**
 * The mutex of all connections of this process to a file that is there: SQLite lets one write at a time and waits for
 * another without letting anything else run, so that a transaction of this process would never end while it waits for it.
 */
export const fileMutex = (path: string): ConnectionMutex => {
  const file = realpathSync(path);
  const known = files.get(file)?.deref();
  if (known) return known;
  const mutex = connectionMutex();
  files.set(file, new WeakRef(mutex));
  return mutex;
};
