// The queue of the hash threads. A hash takes tens of milliseconds of a core, so a few hundred sign-ins at once
// would make everybody wait for seconds. The queue admits as many as it finishes within two seconds and refuses the rest
// before anything is looked up.
//
//   admit()  refuses by the estimated wait, the deadline and the owner's share; else reserves a permit
//   run()    waits in the queue of its owner; owners are served round robin
//   task     runs to its end, even if its caller has left
//
// `fairQueues` of jobs/ takes batches and cannot remove an item whose caller has left; here items are taken one at a time.

import { contained } from '../../foundation/contained.ts';
import { deadlineMs as currentDeadlineMs } from '../../foundation/deadline.ts';
import { type BeckonError, overloaded } from '../../foundation/errors.ts';

/** Longest wait that is admitted. Chosen: sign-in has 9 s, and its caller should still have time to retry. */
const MAX_WAIT_MS = 2_000;
/** Part of the wait that only trusted devices may use, so that known users sign in during a flood of guesses. Chosen. */
const TRUSTED_PART = 0.25;
/** Most of the permits that one owner may hold while others wait. Chosen. */
const OWNER_PART = 0.5;
/** Time that a call needs beside its hash. Chosen. */
const DEADLINE_MARGIN_MS = 1_000;
/** Expected duration of a task before the first one has ended. Source: argon2id takes 20 ms on a quiet core. */
const FIRST_TASK_MS = 50;
/** Weight of the newest task in the moving average. Chosen: ten tasks replace most of it. */
const NEWEST_WEIGHT = 0.1;
/** Seconds of `Retry-After`. Source: interface, Load: 5 to 30. The jitter spreads retries of clients that were refused together. */
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 30;
const JITTER_SECONDS = 3;

/** Who wants a hash. */
export type HashCaller = {
  /** Whose share it uses: the key of the project. Compared as a key of a Map. */
  readonly owner: unknown;
  /** True if the call proved a known device of the account: it may use permits that others may not. */
  readonly isTrustedDevice?: boolean;
  /** Aborted when the caller has left: a waiting task is removed; the result of a running one is dropped. */
  readonly signal?: AbortSignal;
  /** By `performance.now()`; default: the deadline of the current work (`foundation/deadline.ts`). */
  readonly deadlineMs?: number;
};

/** An admitted call. It holds one permit until its first task ends, until `release`, or until its signal is aborted. */
export type HashTicket = {
  /**
   * Runs a task in turn. A further task of the same call waits again, but is not refused for load.
   *
   * @throws BeckonError OVERLOADED if the deadline has passed before it could begin, or if the permit went to an owner
   * with fewer tasks; the reason of the signal if that was aborted; what the task throws
   */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Gives back an unused permit. Does nothing otherwise. Throws nothing. */
  release(): void;
};

export type HashQueue = {
  /** Admits a call. Throws BeckonError OVERLOADED with 5 to 30 s to wait; then nothing was reserved. */
  admit(caller: HashCaller): HashTicket;
  /** Admits a call and runs its task. Throws as `admit` and `HashTicket.run`. */
  run<T>(caller: HashCaller, task: () => Promise<T>): Promise<T>;
  /** Runs a task that nobody waits for. Resolves undefined, without running it, unless a thread is idle. */
  runIfIdle<T>(task: () => Promise<T>): Promise<T | undefined>;
  /** What the queue holds now. Throws nothing. */
  load(): { readonly waiting: number; readonly running: number; readonly reserved: number; readonly waitMs: number };
};

export type HashQueueOptions = {
  /** Tasks that run at the same time. */
  readonly threads: number;
  /** Monotonic milliseconds; default `performance.now()`, which no change of the wall clock moves. */
  readonly nowMs?: () => number;
  /** From 0 to 1, without 1. */
  readonly random?: () => number;
  /** True while the server sheds load: tasks that nobody waits for are then dropped. */
  readonly isShedding?: () => boolean;
};

type Entry = {
  readonly isTrusted: boolean;
  readonly deadlineMs: number;
  readonly begin: () => void;
  readonly refuse: (error: BeckonError) => void;
};

export const hashQueue = ({
  threads,
  nowMs = () => performance.now(),
  random = Math.random,
  isShedding = () => false,
}: HashQueueOptions): HashQueue => {
  // Owners with waiting entries, in round-robin order; each list in the order of arrival.
  const queues = new Map<unknown, Entry[]>();
  const reservedOf = new Map<unknown, number>();
  let [waiting, reserved, running] = [0, 0, 0];
  let taskMs = FIRST_TASK_MS;

  const waitMs = (): number => ((waiting + reserved + running) / threads) * taskMs;
  const heldBy = (owner: unknown): number => (queues.get(owner)?.length ?? 0) + (reservedOf.get(owner) ?? 0);

  const refusal = (): BeckonError => {
    const seconds = MIN_RETRY_SECONDS + Math.ceil(waitMs() / 1_000) + Math.floor(random() * (JITTER_SECONDS + 1));
    return overloaded(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, seconds)));
  };

  const reserve = (owner: unknown, count: 1 | -1): void => {
    const total = (reservedOf.get(owner) ?? 0) + count;
    if (total === 0) reservedOf.delete(owner);
    else reservedOf.set(owner, total);
    reserved += count;
  };

  const remove = (owner: unknown, entry: Entry): boolean => {
    const entries = queues.get(owner);
    const at = entries?.indexOf(entry) ?? -1;
    if (!entries || at === -1) return false;
    entries.splice(at, 1);
    if (entries.length === 0) queues.delete(owner);
    waiting -= 1;
    return true;
  };

  /** The entry of the next owner, who then goes to the end of the order. */
  const takeNext = (): Entry | undefined => {
    for (const [owner, entries] of queues) {
      const entry = entries.shift();
      queues.delete(owner);
      if (entries.length > 0) queues.set(owner, entries);
      if (entry) waiting -= 1;
      return entry;
    }
    return undefined;
  };

  const startNext = (): void => {
    while (running < threads) {
      const entry = takeNext();
      if (!entry) return;
      // Its caller no longer waits for the result.
      if (nowMs() >= entry.deadlineMs) entry.refuse(refusal());
      else entry.begin();
    }
  };

  const execute = async <T>(task: () => Promise<T>): Promise<T> => {
    running += 1;
    const beganMs = nowMs();
    try {
      return await task();
    } finally {
      running -= 1;
      taskMs += NEWEST_WEIGHT * (nowMs() - beganMs - taskMs);
      startNext();
    }
  };

  /** Refuses the newest waiting task of the owner who holds the most, if that is more than this one would hold. */
  const displaceFor = (owner: unknown): boolean => {
    let most = heldBy(owner) + 1;
    let victim: { readonly owner: unknown; readonly entry: Entry } | undefined;
    for (const [other, entries] of queues) {
      const held = heldBy(other);
      const entry = entries.findLast(({ isTrusted }) => !isTrusted);
      if (held <= most || !entry) continue;
      most = held;
      victim = { owner: other, entry };
    }
    if (!victim) return false;
    remove(victim.owner, victim.entry);
    victim.entry.refuse(refusal());
    return true;
  };

  const isOverShare = (owner: unknown): boolean => {
    const held = heldBy(owner);
    if (waiting + reserved === held) return false;
    const permits = (MAX_WAIT_MS / taskMs) * threads;
    return held >= Math.max(1, Math.floor(permits * OWNER_PART));
  };

  const checkAdmission = ({ owner, isTrustedDevice }: HashCaller, deadlineMs: number): void => {
    const estimateMs = waitMs();
    if (deadlineMs - nowMs() < estimateMs + DEADLINE_MARGIN_MS || isOverShare(owner)) throw refusal();
    const maxMs = isTrustedDevice ? MAX_WAIT_MS : MAX_WAIT_MS * (1 - TRUSTED_PART);
    if (estimateMs > maxMs && !displaceFor(owner)) throw refusal();
  };

  const enqueue = <T>(
    { owner, isTrustedDevice = false, signal }: HashCaller,
    deadlineMs: number,
    task: () => Promise<T>,
  ) =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = contained(() => {
        remove(owner, entry);
        reject(signal?.reason);
      });
      const entry: Entry = {
        isTrusted: isTrustedDevice,
        deadlineMs,
        begin: () => {
          void execute(task)
            .then(resolve, reject)
            .finally(() => signal?.removeEventListener('abort', leave));
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      const entries = queues.get(owner);
      if (entries) entries.push(entry);
      else queues.set(owner, [entry]);
      waiting += 1;
      startNext();
    });

  const admit = (caller: HashCaller): HashTicket => {
    const { owner, signal, deadlineMs = currentDeadlineMs() } = caller;
    signal?.throwIfAborted();
    checkAdmission(caller, deadlineMs);
    reserve(owner, 1);
    let isReserved = true;
    const release = contained(() => {
      if (!isReserved) return;
      isReserved = false;
      signal?.removeEventListener('abort', release);
      reserve(owner, -1);
    });
    signal?.addEventListener('abort', release, { once: true });
    return {
      release,
      run: (task) => {
        release();
        return enqueue(caller, deadlineMs, task);
      },
    };
  };

  return {
    admit,
    run: async (caller, task) => admit(caller).run(task),
    runIfIdle: async (task) => (running < threads && !isShedding() ? execute(task) : undefined),
    load: () => ({ waiting, running, reserved, waitMs: waitMs() }),
  };
};
