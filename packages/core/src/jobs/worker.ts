import type { LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { contained } from '../foundation/contained.ts';
import { endsWithin } from '../foundation/ends-within.ts';
import type { Tracing } from '../foundation/telemetry.ts';
import { batches } from './batch.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, MAX_CLAIM, RENEW_MS, type Registration } from './registration.ts';

export type WorkerOptions = {
  readonly storage: Storage;
  readonly log: WorkLog;
  readonly tracing?: Tracing | null | undefined;
  /** Polling interval of a queue, in addition to wake signals. */
  readonly pollMs: number;
};

/** Pause after a failed claim, doubled up to the last. Chosen. */
const CLAIM_PAUSE_MS = 250;
const CLAIM_PAUSE_CAP_MS = 5_000;
/** Maximum sleep of a full queue, in milliseconds. Chosen. */
const FULL_MS = 50;
/** Default time in which `stop` lets work in hand finish. Source: cli options, shutdownTimeout. */
export const STOP_MS = 20_000;
/**
 * Milliseconds after the time limit of a stop in which aborted work may end, and in which its leases are ended. Chosen:
 * both take a few milliseconds, unless a handler ignores its signal or the database hangs.
 */
const CUT_OFF_MS = 250;
const RELEASE_MS = 1_000;

/** A sleep that a signal ends early; an earlier signal ends it at once. */
const wakeableSleep = () => {
  let wake: (() => void) | undefined;
  let isSignalled = false;
  return {
    wake: (): void => {
      isSignalled = true;
      wake?.();
    },
    sleep: async (ms: number): Promise<void> => {
      if (!isSignalled) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      isSignalled = false;
    },
  };
};

const stopControllers = () => ({ draining: new AbortController(), limit: new AbortController() });

/**
 * The loop of one queue: claims as many rows as it may have in hand, processes without waiting, sleeps when nothing is
 * due.
 */
const loop = <Row extends LeaseKey, Outcome>(options: WorkerOptions, work: Registration<Row, Outcome>) => {
  const { storage, log, pollMs } = options;
  const wakeSignal = wakeableSleep();
  /** More rows may be due than the last claim returned. */
  let isMore = true;
  const batch = batches(storage, work, log, wakeSignal.wake, () => {
    if (isMore) wakeSignal.wake();
  });
  let stopping = stopControllers();
  const batchesInProgress = new Set<Promise<void>>();
  /** Ends the waits of `once` when a stop has aborted their work. */
  const waits = new Set<() => void>();
  let isRunning = false;
  /** A wake signal arrived, and no claim has begun since. */
  let isWoken = false;
  let running: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;
  let renewal: NodeJS.Timeout | undefined;

  const freeCapacity = (): number => Math.min(work.maxInHand - batch.size(), MAX_CLAIM);
  const claim = (limit: number): Promise<(Row & { fence: number })[]> => storage.claim(work.claim, limit, LEASE_MS);

  const take = (rows: readonly (Row & { fence: number })[]): Promise<void> => {
    const processing = batch
      .take(rows, { signal: stopping.limit.signal, draining: stopping.draining.signal })
      .catch((error) => log.error({ work: work.name, error }, 'a batch could not be put back'))
      .finally(() => batchesInProgress.delete(processing));
    batchesInProgress.add(processing);
    return processing;
  };

  work.localHandoff?.connect({
    // Rows that are already due come before new ones.
    capacity: () => (isRunning && !isMore && !isWoken ? Math.max(0, freeCapacity()) : 0),
    take: (rows) => {
      if (isRunning) void take(rows);
      else batch.giveBack(rows);
    },
  });

  const run = async ({ signal }: AbortController): Promise<void> => {
    let failures = 0;
    isMore = true;
    while (!signal.aborted) {
      if (batch.size() >= work.maxInHand) {
        await wakeSignal.sleep(pollMs);
        continue;
      }
      try {
        // Ended rows free capacity but make nothing due: reading the next due time costs less than a claim, which is a
        // transaction.
        const waitMs = isMore || isWoken ? 0 : ((await storage.nextDueInMs(work.claim)) ?? pollMs);
        if (waitMs > 0 && !isWoken) {
          await wakeSignal.sleep(Math.min(pollMs, Math.max(1, waitMs)));
          continue;
        }
        const limit = work.claimLimit?.(freeCapacity()) ?? freeCapacity();
        if (limit === 0) {
          await wakeSignal.sleep(Math.min(pollMs, FULL_MS));
          continue;
        }
        isWoken = false;
        // Leases ran out while the database was unavailable: rows in hand are renewed before anyone claims them again.
        if (failures > 0) await batch.renew();
        const rows = await claim(limit);
        failures = 0;
        isMore = rows.length === limit;
        if (signal.aborted) batch.giveBack(rows);
        else if (rows.length > 0) void take(rows);
      } catch (error) {
        failures += 1;
        log.error({ work: work.name, error }, 'claiming failed');
        await wakeSignal.sleep(Math.min(CLAIM_PAUSE_MS * 2 ** failures, CLAIM_PAUSE_CAP_MS));
      }
    }
  };

  return {
    name: work.name,
    claim: work.claim,
    start: (): void => {
      if (isRunning) return;
      isRunning = true;
      unsubscribe = storage.wake.subscribe((topic) => {
        if (topic !== work.name) return;
        isWoken = true;
        wakeSignal.wake();
      });
      renewal = setInterval(
        contained(batch.renew, (error) => log.warn({ work: work.name, error }, 'leases could not be renewed')),
        RENEW_MS,
      ).unref();
      running = run(stopping.draining);
    },
    /**
     * Gives back work that has not begun, lets the rest finish for `timeoutMs`, then aborts it. Resolves at most
     * CUT_OFF_MS + RELEASE_MS later, whatever handlers and the database do. Throws nothing.
     */
    stop: async (timeoutMs: number): Promise<void> => {
      const { draining, limit } = stopping;
      // Later work, after another start or a drain, has its full time again.
      stopping = stopControllers();
      isRunning = false;
      unsubscribe?.();
      draining.abort();
      wakeSignal.wake();
      const finish = async (): Promise<void> => {
        await running;
        await Promise.all(batchesInProgress);
        await batch.settled();
      };
      const finished = finish();
      const isFinished = await endsWithin(finished, timeoutMs);
      const cutOff = batch.unreported();
      if (!isFinished) {
        limit.abort();
        await endsWithin(finished, CUT_OFF_MS);
      }
      clearInterval(renewal);
      if (isFinished) return;
      batchesInProgress.clear();
      if (cutOff > 0)
        log.warn(
          { work: work.name, rows: cutOff },
          work.callsProviders
            ? 'calls were cut off at the time limit; another worker takes them up when their leases run out'
            : 'work was cut off at the time limit; another worker can go on with it now',
        );
      await endsWithin(batch.release(), RELEASE_MS).catch((error) =>
        log.warn({ work: work.name, error }, 'leases could not be ended'),
      );
      for (const end of waits) end();
    },
    /** Processes one batch to its end; returns its number of rows. */
    once: async (): Promise<number> => {
      const { signal } = stopping.draining;
      const rows = await claim(freeCapacity());
      if (rows.length === 0) return 0;
      if (signal.aborted) batch.giveBack(rows);
      const finish = async (): Promise<void> => {
        if (!signal.aborted) await take(rows);
        await batch.settled();
      };
      const { promise: cutOff, resolve } = Promise.withResolvers<void>();
      waits.add(resolve);
      try {
        await Promise.race([finish(), cutOff]);
      } finally {
        waits.delete(resolve);
      }
      return rows.length;
    },
  };
};

/** The queue of a registration, of any row and outcome type, ready for the worker. */
export type Queue = ReturnType<typeof loop>;

/** Creates a queue of a module when the worker is created. */
export type MakeQueue = (options: WorkerOptions) => Queue;

/** The same work without an active span: a batch has rows of many causes, and a loop the context of its start. */
const detached = <Row extends LeaseKey, Outcome>(
  work: Registration<Row, Outcome>,
  tracing: Tracing,
): Registration<Row, Outcome> => ({
  ...work,
  process: (rows, done, context) => tracing.detached(() => work.process(rows, done, context)),
  commit: (outcomes) => tracing.detached(() => work.commit(outcomes)),
  deadLetter: (row, reason) => tracing.detached(() => work.deadLetter(row, reason)),
});

/** Creates a worker's queue from a registration. Throws nothing. */
export const queue = <Row extends LeaseKey, Outcome>(options: WorkerOptions, work: Registration<Row, Outcome>): Queue =>
  loop(options, options.tracing ? detached(work, options.tracing) : work);

/**
 * The worker of one process with its queues. `start` and `stop` are idempotent; `drain` processes due work, and what
 * becomes due by it, without starting, and returns the number of rows. A stop also ends a drain.
 */
export const worker = (queues: readonly Queue[]) => {
  let stops = 0;
  return {
    start: (): void => {
      for (const one of queues) one.start();
    },
    stop: async ({ timeoutMs = STOP_MS }: { timeoutMs?: number | undefined } = {}): Promise<void> => {
      stops += 1;
      await Promise.all(queues.map((one) => one.stop(timeoutMs)));
    },
    drain: async (): Promise<number> => {
      const before = stops;
      let total = 0;
      for (let handled = -1; handled !== 0 && stops === before; total += handled) {
        handled = 0;
        for (const one of queues) if (stops === before) handled += await one.once();
      }
      return total;
    },
  };
};
