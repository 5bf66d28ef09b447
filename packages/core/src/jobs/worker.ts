import type { LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { contained } from '../foundation/contained.ts';
import { endsWithin } from '../foundation/ends-within.ts';
import { batches } from './batch.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, MAX_CLAIM, RENEW_MS, type Registration } from './registration.ts';

export type WorkerOptions = {
  readonly storage: Storage;
  readonly log: WorkLog;
  /** How often a queue is looked at besides being woken. */
  readonly pollMs: number;
};

/** Pause after a claim that failed, doubled up to the last. Ours. */
const CLAIM_PAUSE_MS = 250;
const CLAIM_PAUSE_CAP_MS = 5_000;
/** How long a queue that has no room sleeps at most, in milliseconds. Ours. */
const CROWDED_MS = 50;
/** How long `stop` lets work in hand finish when not told. Source: cli options, shutdownTimeout. */
export const STOP_MS = 20_000;
/**
 * Milliseconds after the time limit of a stop in which work that was cut off may end, and in which its leases are ended.
 * Chosen: both take a few milliseconds, unless a handler ignores its signal or the database hangs.
 */
const CUT_OFF_MS = 250;
const RELEASE_MS = 1_000;

/** A sleep that a signal ends early; a signal that came before the sleep ends it at once. */
const alarm = () => {
  let ring: (() => void) | undefined;
  let hasRung = false;
  return {
    ring: (): void => {
      hasRung = true;
      ring?.();
    },
    sleep: async (ms: number): Promise<void> => {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          ring = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      ring = undefined;
      hasRung = false;
    },
  };
};

const stopControllers = () => ({ draining: new AbortController(), limit: new AbortController() });

/** One queue's loop: claim as many as it may have in hand, process without waiting, sleep when nothing is due. */
const loop = <Row extends LeaseKey, Outcome>(options: WorkerOptions, work: Registration<Row, Outcome>) => {
  const { storage, log, pollMs } = options;
  const bell = alarm();
  /** There may be more that is due than was claimed last. */
  let isMore = true;
  const batch = batches(storage, work, log, bell.ring, () => {
    if (isMore) bell.ring();
  });
  let stopping = stopControllers();
  const taking = new Set<Promise<void>>();
  /** Ends the waits of `once`, where a stop has cut off what they wait for. */
  const waits = new Set<() => void>();
  let isRunning = false;
  /** Somebody said that there is work, and no claim has begun since. */
  let isWoken = false;
  let running: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;
  let renewal: NodeJS.Timeout | undefined;

  const most = (): number => Math.min(work.maxInHand - batch.size(), MAX_CLAIM);
  const claim = (limit: number): Promise<(Row & { fence: number })[]> => storage.claim(work.claim, limit, LEASE_MS);

  const take = (rows: readonly (Row & { fence: number })[]): Promise<void> => {
    const taken = batch
      .take(rows, { signal: stopping.limit.signal, draining: stopping.draining.signal })
      .catch((error) => log.error({ work: work.name, error }, 'a batch could not be put back'))
      .finally(() => taking.delete(taken));
    taking.add(taken);
    return taken;
  };

  work.adoption?.serve({
    // What is due already comes before what is made now.
    room: () => (isRunning && !isMore && !isWoken ? Math.max(0, most()) : 0),
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
        await bell.sleep(pollMs);
        continue;
      }
      try {
        // What ends makes room and nothing due: a look costs less than a claim, which is a transaction.
        const waitMs = isMore || isWoken ? 0 : ((await storage.nextDueInMs(work.claim)) ?? pollMs);
        if (waitMs > 0 && !isWoken) {
          await bell.sleep(Math.min(pollMs, Math.max(1, waitMs)));
          continue;
        }
        const wanted = work.room?.(most()) ?? most();
        if (wanted === 0) {
          await bell.sleep(Math.min(pollMs, CROWDED_MS));
          continue;
        }
        isWoken = false;
        // While the database was away leases ran out: what is in hand is kept before anybody claims it again.
        if (failures > 0) await batch.renew();
        const rows = await claim(wanted);
        failures = 0;
        isMore = rows.length === wanted;
        if (signal.aborted) batch.giveBack(rows);
        else if (rows.length > 0) void take(rows);
      } catch (error) {
        failures += 1;
        log.error({ work: work.name, error }, 'claiming failed');
        await bell.sleep(Math.min(CLAIM_PAUSE_MS * 2 ** failures, CLAIM_PAUSE_CAP_MS));
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
        bell.ring();
      });
      renewal = setInterval(
        contained(batch.renew, (error) => log.warn({ work: work.name, error }, 'leases could not be renewed')),
        RENEW_MS,
      ).unref();
      running = run(stopping.draining);
    },
    /**
     * Gives back at once what has not begun, lets the rest finish for `timeoutMs`, then cuts it off. Resolves at most
     * CUT_OFF_MS + RELEASE_MS later, whatever handlers and the database do. Throws nothing.
     */
    stop: async (timeoutMs: number): Promise<void> => {
      const { draining, limit } = stopping;
      // Work that is taken from now on, after another start or by a drain, has its time again.
      stopping = stopControllers();
      isRunning = false;
      unsubscribe?.();
      draining.abort();
      bell.ring();
      const finish = async (): Promise<void> => {
        await running;
        await Promise.all(taking);
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
      taking.clear();
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
    /** One batch, finished; answers how many rows it had. */
    once: async (): Promise<number> => {
      const { signal } = stopping.draining;
      const rows = await claim(most());
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

/** A registration of any row and outcome type, ready for the worker. */
export type Queue = ReturnType<typeof loop>;

/** A queue of a module, made when the worker is. */
export type MakeQueue = (options: WorkerOptions) => Queue;

/** Makes a worker's queue of a registration. Throws nothing. */
export const queue = <Row extends LeaseKey, Outcome>(options: WorkerOptions, work: Registration<Row, Outcome>): Queue =>
  loop(options, work);

/**
 * The worker of one process over its queues. `start` and `stop` are idempotent; `drain` handles what is due, and what
 * that makes due, without starting, and answers how many rows that were. A stop also ends a drain.
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
