import type { Done, Pace, Start } from '../contenders/worker/side.ts';
import { type Contender, startContender } from './contender.ts';
import { places } from './places.ts';
import { type Racer, VoidRun } from './rounds.ts';
import { quantile } from './statistics.ts';

/** The server that a contender uses; its CPU counts. */
type Server = { cpuUs(): number; settle?(): Promise<void>; analyze?(url: string): Promise<void> };

/** One implementation of jobs that do nothing, and their number. */
export type QueuePlan = {
  readonly name: string;
  /** Program of `contenders`, and which of its implementations. */
  readonly program: string;
  readonly way: string;
  readonly url: string;
  /** Jobs per turn; null: throughput is not measured. */
  readonly jobs: number | null;
  /** Jobs that are added to an idle worker per turn; null: latency is not measured. */
  readonly starts: number | null;
  /** The server that it uses. */
  readonly server?: Server | undefined;
};

export type OpenQueue = QueuePlan & {
  /** Runs `jobs` jobs; figures `rate`, `cpuUs` and `serverUs` per job. */
  readonly throughput: Racer;
  /** Adds `starts` jobs one by one to an idle worker; figures `p50Ms` and `p99Ms`. */
  readonly latency: Racer;
  /** Every start latency so far, in milliseconds. */
  readonly latencies: readonly number[];
  stop(): Promise<void>;
};

/** Jobs a second of an idle worker. Source: performance design, the worker benchmark. */
export const PER_SECOND = 20;

/** Maximum duration of a turn. Chosen: far above any measured one, because a lost job would be awaited forever. */
const TURN_MS = 120_000;

const turn = async ({ jobs, server, url }: QueuePlan, contender: Contender) => {
  const count = jobs ?? 0;
  // Writes of earlier turns go to disk first; this turn's rows are in memory, as on a running server.
  await server?.settle?.();
  await contender.ask('fill', count);
  await server?.analyze?.(url);
  const before = server?.cpuUs() ?? 0;
  const { cpuUs, wallMs, handled } = await contender.ask<Done>('run', count);
  const serverUs = (server?.cpuUs() ?? 0) - before;
  await contender.ask('check', count);
  if (handled !== count) throw new Error(`${handled} jobs were handled instead of ${count}`);
  return { rate: (count * 1_000) / wallMs, cpuUs: (cpuUs + serverUs) / count, serverUs: serverUs / count };
};

/** Starts a contender in a fresh process. Its turns throw VoidRun if a job has not ended exactly once. */
export const openQueue = async (plan: QueuePlan): Promise<OpenQueue> => {
  const contender = startContender(plan.program);
  const latencies: number[] = [];
  const orVoid = async <T>(work: Promise<T>): Promise<T> => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('its turn did not end')), TURN_MS);
    try {
      return await Promise.race([work, late.promise]);
    } catch (error) {
      throw new VoidRun(`${plan.name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  };
  const starts = async () => {
    await contender.ask('fill', 0);
    const pace: Pace = { count: plan.starts ?? 0, perSecond: PER_SECOND };
    const found = await contender.ask<number[]>('latencies', pace);
    latencies.push(...found);
    const sorted = found.toSorted((a, b) => a - b);
    return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
  };
  try {
    const { url, way } = plan;
    const start: Start = { url, way, peers: places.peers, root: places.root };
    await contender.ask('start', start);
  } catch (error) {
    await contender.stop();
    throw error;
  }
  return {
    ...plan,
    throughput: { name: plan.name, turn: () => orVoid(turn(plan, contender)) },
    latency: { name: plan.name, turn: () => orVoid(starts()) },
    latencies,
    stop: contender.stop,
  };
};
