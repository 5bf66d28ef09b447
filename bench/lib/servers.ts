import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from './child.ts';
import { type Contender, startContender } from './contender.ts';
import { type Client, CONNECTIONS, type Seen } from './load.ts';
import { type Racer, VoidRun } from './rounds.ts';

/** A server for requests, and how its rows are counted. */
export type ServerPlan = {
  readonly name: string;
  /** Program of `contenders`, and the argument of its `start`. */
  readonly program: string;
  readonly argument: unknown;
  readonly requestsFile: string;
  /** Rows per request; default 1. */
  readonly rowsPerRequest?: number | undefined;
  /** Rows so far; without it the program itself reports the number of answered requests. */
  readonly count?: (() => Promise<number>) | undefined;
  /** CPU so far of its database server, in microseconds. */
  readonly serverCpuUs?: (() => number) | undefined;
  readonly settle?: (() => Promise<void>) | undefined;
  /** Called once, after warm-up. */
  readonly warmed?: (() => Promise<void>) | undefined;
};

export type Server = Racer & {
  /** Memory after start, before the first request, in MB. */
  readonly idleMb: number;
  /** Loads it with the latency client, at a rate or at full speed, and checks as a turn does. */
  load(seconds: number, perSecond?: number): Promise<Seen>;
  stop(): Promise<void>;
};

type Sizes = {
  readonly client: Client;
  /**
   * The latency client, for `latencySeconds` after each turn; the same as `client`: latencies are those of the turn.
   */
  readonly latencyClient: Client;
  readonly seconds: number;
  readonly latencySeconds: number;
  readonly warmUpSeconds: number;
};

/** Pause before a server's idle memory is read, and after a turn. Chosen. */
const IDLE_MS = 1_000;
const SETTLE_MS = 250;

const warm = async (
  contender: Contender,
  plan: ServerPlan,
  { client, latencyClient, seconds, latencySeconds, warmUpSeconds }: Sizes,
): Promise<Server> => {
  const { name, requestsFile, rowsPerRequest = 1, serverCpuUs = () => 0, settle = async () => undefined } = plan;
  const count = plan.count ?? (() => contender.ask<number>('answered'));
  const { port, keys } = await contender.ask<{ port: number; keys: string[] }>('start', plan.argument);
  await sleep(IDLE_MS);
  const idleMb = await contender.ask<number>('idle');
  if (plan.count) await contender.ask('seed');

  /** Loads, and compares acknowledged with stored rows; rows of responses in flight at the end may exist or not. */
  const loadAndCheck = async (by: Client, forSeconds: number, perSecond?: number) => {
    const before = await count();
    await contender.ask('begin');
    const serverBefore = serverCpuUs();
    const seen = await by.run({ port, keys, requestsFile, seconds: forSeconds, perSecond });
    const serverUs = serverCpuUs() - serverBefore;
    const used = await contender.ask<Usage>('end');
    await sleep(SETTLE_MS);
    const stored = ((await count()) - before) / rowsPerRequest;
    const { requests, failures } = seen;
    if (failures > 0) throw new VoidRun(`${name}: ${failures} requests failed`);
    if (stored < requests || stored > requests + CONNECTIONS)
      throw new VoidRun(`${name}: ${requests} requests were acknowledged and ${stored} are stored`);
    await settle();
    return { seen, used, serverUs };
  };

  await loadAndCheck(client, warmUpSeconds);
  await plan.warmed?.();
  return {
    name,
    idleMb,
    load: async (forSeconds, perSecond) => (await loadAndCheck(latencyClient, forSeconds, perSecond)).seen,
    turn: async () => {
      const { seen, used, serverUs } = await loadAndCheck(client, seconds);
      const { requests } = seen;
      const { p50Ms, p95Ms, p99Ms } =
        latencyClient === client ? seen : (await loadAndCheck(latencyClient, latencySeconds)).seen;
      return {
        requests,
        rps: (requests * rowsPerRequest) / seen.seconds,
        cpuUs: (used.cpuUs + serverUs) / requests / rowsPerRequest,
        serverUs: serverUs / requests / rowsPerRequest,
        p50Ms,
        p95Ms,
        p99Ms,
        rssMb: used.maxRssMb,
        loopP99Ms: used.loopP99Ms,
      };
    },
    stop: contender.stop,
  };
};

/**
 * Starts a server in a fresh process, gives it users if it has a database, and warms it up. Each turn loads it for
 * `seconds` and then checks the database. Throws VoidRun if a request failed or a row is missing.
 */
export const openServer = async (plan: ServerPlan, sizes: Sizes): Promise<Server> => {
  const contender = startContender(plan.program);
  try {
    return await warm(contender, plan, sizes);
  } catch (error) {
    await contender.stop();
    throw error;
  }
};
