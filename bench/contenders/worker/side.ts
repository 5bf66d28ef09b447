import { setTimeout as sleep } from 'node:timers/promises';
import { answerParent } from '../../lib/child.ts';

/** Input of a program of the benchmark `worker`. */
export type Start = {
  /** URL of its own database or server. */
  readonly url: string;
  /** One of the program's implementations. */
  readonly way: string;
  /** Folder of packages that are installed besides the checkout's own; absolute. */
  readonly peers: string;
  /** The checkout; absolute. */
  readonly root: string;
};

/** Cost of one stretch of work in this process; `handled` counts calls of the handler. */
export type Done = { readonly cpuUs: number; readonly wallMs: number; readonly handled: number };

/** Number of jobs that are added to an idle worker, one by one, and their rate. */
export type Pace = { readonly count: number; readonly perSecond: number };

/** A worker without work. */
export type Idle = {
  /** Adds one job. Its handler reports `key` to the caller of `idle`. */
  add(key: string): Promise<unknown>;
  stop(): Promise<void>;
};

/** One implementation of jobs that do nothing. */
export type Side = {
  /** Adds this many jobs for `run`, replacing earlier ones. */
  fill(count: number): Promise<void>;
  /** Runs all of them; resolves when the end of each is on disk. Returns the number of handler calls. */
  run(count: number): Promise<number>;
  /** Throws unless each job of the last `fill` has ended exactly once. */
  check(count: number): Promise<void>;
  /** Starts a worker and reports the key of each job to `started` as its handler begins. */
  idle?(started: (key: string) => void): Promise<Idle>;
};

/** Chosen: longer than any peer's slowest poll. */
const STARTED_WITHIN_MS = 30_000;
/** Jobs that are not measured. Chosen: the first ones load and prepare. */
const FIRST_JOBS = 5;

/** From the call that adds a job until its handler begins, in milliseconds, one per job. */
const startLatencies = async (idle: NonNullable<Side['idle']>, { count, perSecond }: Pace): Promise<number[]> => {
  const starts = new Map<string, (atMs: number) => void>();
  const began = performance.now();
  const { add, stop } = await idle((key) => starts.get(key)?.(performance.now()));
  const one = async (at: number): Promise<number> => {
    const key = `job-${began}-${at}`;
    const started = new Promise<number>((resolve) => starts.set(key, resolve));
    const addedMs = performance.now();
    await add(key);
    return (await started) - addedMs;
  };
  try {
    await Promise.all(Array.from({ length: FIRST_JOBS }, (_, at) => one(-1 - at)));
    const firstMs = performance.now();
    const all: Promise<number>[] = [];
    for (let at = 0; at < count; at += 1) {
      await sleep(Math.max(0, firstMs + ((at + 1) * 1_000) / perSecond - performance.now()));
      all.push(one(at));
    }
    const late = AbortSignal.timeout(STARTED_WITHIN_MS);
    const tooLate = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(new Error('a job that was added was never started')), { once: true });
    });
    return await Promise.race([Promise.all(all), tooLate]);
  } finally {
    await stop();
  }
};

const measured = async (work: () => Promise<number>): Promise<Done> => {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const handled = await work();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, wallMs, handled };
};

/** Answers the parent's requests with one side, which `start` opens. */
export const answerAs = (open: (start: Start) => Promise<Side>): void => {
  let side: Side | undefined;
  const opened = (): Side => {
    if (!side) throw new Error('not started');
    return side;
  };
  answerParent({
    start: async (start: Start) => {
      side = await open(start);
    },
    fill: (count: number) => opened().fill(count),
    run: (count: number) => measured(() => opened().run(count)),
    check: (count: number) => opened().check(count),
    latencies: (pace: Pace) => {
      const { idle } = opened();
      if (!idle) throw new Error('this side has no idle worker');
      return startLatencies(idle, pace);
    },
  });
};
