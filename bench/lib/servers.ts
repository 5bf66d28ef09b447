import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from './child.ts';
import { type Contender, startContender } from './contender.ts';
import { type Client, CONNECTIONS, type Seen } from './load.ts';
import { type Racer, VoidRun } from './rounds.ts';

/** A server that takes requests, and where their rows can be counted. */
export type ServerPlan = {
  readonly name: string;
  /** Program of `contenders`, and what its `start` is given. */
  readonly program: string;
  readonly argument: unknown;
  readonly requestsFile: string;
  /** Rows that one request makes; default 1. */
  readonly rowsPerRequest?: number | undefined;
  /** Rows so far; without it the program itself says how many requests it has answered. */
  readonly count?: (() => Promise<number>) | undefined;
  /** CPU so far of the database server that works for it, in microseconds. */
  readonly serverCpuUs?: (() => number) | undefined;
  readonly settle?: (() => Promise<void>) | undefined;
  /** Called once, when it is warm. */
  readonly warmed?: (() => Promise<void>) | undefined;
};

export type Server = Racer & {
  /** Memory when it listened and nothing had been asked of it yet, in MB. */
  readonly idleMb: number;
  /** Loads it by the client whose latencies count, at a rate or as fast as it answers, and checks as a turn does. */
  load(seconds: number, perSecond?: number): Promise<Seen>;
  stop(): Promise<void>;
};

type Sizes = {
  readonly client: Client;
  /** Whose latencies count, for `latencySeconds` after each turn; the same as `client`: they are those of the turn. */
  readonly latencyClient: Client;
  readonly seconds: number;
  readonly latencySeconds: number;
  readonly warmUpSeconds: number;
};

/** How long a server is left alone before its idle memory is read, and after a turn. Ours. */
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

  /** Loads, and compares what was acknowledged with what is there; answers in flight at the end may or may not be. */
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
 * Starts a server in a fresh process, gives it its users where it has a database, and warms it up. Each turn is loaded
 * for `seconds` and then checked against the database. Throws VoidRun when a request failed or a row is missing.
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
