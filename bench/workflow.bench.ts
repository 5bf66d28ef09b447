// From an event to the first step of the run that it starts, at half of the service's maximum rate, against the p99 of
// node:http that only echoes.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Start } from './contenders/beckon.ts';
import type { Bench, Setting } from './lib/bench.ts';
import { STARTS, writeRequests } from './lib/fixtures.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { openLatencyClient } from './lib/load.ts';
import { places } from './lib/places.ts';
import type { Postgres } from './lib/postgres.ts';
import { figure } from './lib/report.ts';
import { type Figures, type Racer, type Results, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { openServer, type Server, type ServerPlan } from './lib/servers.ts';
import { isUnstable, median, quantile, ratios, tailOf } from './lib/statistics.ts';

const BARE = 'bare node:http';
const SQLITE = 'beckon, sqlite';
const POSTGRES = 'beckon, postgres';

/** Shares of all events, and of the maximum rate. Source: performance design, the workflow benchmark. */
const START_SHARE = 0.2;
const RATE_SHARE = 0.5;
/** Duration of finding the maximum rate, of the fixed rate, and of the load on the bare server. Chosen. */
const SECONDS = { quick: 1, full: 6 };
/** Maximum duration of started runs. Chosen: far above any valid turn. */
const LIMIT_MS = 30_000;
const LOOK_MS = 20;

/** Reads a service's rows directly: the first column of the first row. */
type Read = (sql: string) => Promise<unknown>;
type Dialect = {
  /** A time as it is stored in a row. */
  readonly moment: (ms: number) => string;
  /** Milliseconds from the start of a run to that of its step, for all runs in the order of their starts, as JSON. */
  readonly waits: string;
};
const DIALECTS: Readonly<Record<'sqlite' | 'postgres', Dialect>> = {
  sqlite: { moment: String, waits: 'json_group_array(s.started_at - r.started_at)' },
  postgres: {
    moment: (ms) => `'${new Date(ms).toISOString()}'::timestamptz`,
    waits: 'json_agg(extract(epoch from s.started_at - r.started_at) * 1000 order by r.started_at)::text',
  },
};

const readFile =
  (file: string): Read =>
  async (sql) => {
    const database = new Database(file, { readonly: true });
    try {
      return database.prepare(sql).pluck().get();
    } finally {
      database.close();
    }
  };

type Served = { readonly plan: ServerPlan; readonly read: Read; readonly dialect: Dialect };

const onSqlite = (requestsFile: string): Served => {
  const file = join(places.work, 'workflow.db');
  const read = readFile(file);
  const argument: Start = { root: places.root, db: `sqlite:${file}`, isOneByOne: false, startsRuns: true };
  const count = async (): Promise<number> => Number(await read('select count(*) from events'));
  return { plan: { name: SQLITE, program: 'beckon', argument, requestsFile, count }, read, dialect: DIALECTS.sqlite };
};

const onPostgres = async (requestsFile: string, postgres: Postgres): Promise<Served> => {
  const db = await postgres.create('bench_workflow');
  const read: Read = (sql) => postgres.value(db, sql);
  const argument: Start = { root: places.root, db, isOneByOne: false, startsRuns: true };
  const count = async (): Promise<number> => Number(await read('select count(*) from events'));
  const { settle } = postgres;
  const warmed = (): Promise<void> => postgres.analyze(db);
  const plan = { name: POSTGRES, program: 'beckon', argument, requestsFile, count, settle, warmed };
  return { plan, read, dialect: DIALECTS.postgres };
};

/** Waits until every started run is over. */
const settled = async ({ plan, read }: Served): Promise<void> => {
  const untilMs = performance.now() + LIMIT_MS;
  while (Number(await read('select count(*) from runs where due_at is not null')) > 0) {
    if (performance.now() > untilMs) throw new VoidRun(`${plan.name}: runs were started and did not end`);
    await sleep(LOOK_MS);
  }
};

type Given = { readonly seconds: number; quiet(): Promise<void> };
/** The maximum rate first, then half of it; the result is the waits of the second stretch's runs. */
const racerOf = (served: Served, server: Server, { seconds, quiet }: Given): Racer => ({
  name: server.name,
  turn: async (): Promise<Figures> => {
    const { read, dialect } = served;
    await quiet();
    const most = await server.load(seconds);
    await settled(served);
    const since = dialect.moment(Date.now());
    const seen = await server.load(seconds, RATE_SHARE * (most.requests / most.seconds));
    await settled(served);
    const events = `select count(*) from events where event_type = '${STARTS}' and received_at >= ${since}`;
    const runs = `from runs r join run_steps s on s.scope_id = r.scope_id and s.run_id = r.id and s.path = '0' where r.started_at >= ${since}`;
    const started = Number(await read(events));
    // Safe: both databases make a list of numbers of it.
    const waits = (JSON.parse(String(await read(`select ${dialect.waits} ${runs}`))) as (number | string)[]).map(
      Number,
    );
    if (waits.length !== started || started === 0)
      throw new VoidRun(`${server.name}: ${started} events came and ${waits.length} runs took their first step`);
    const sorted = waits.toSorted((a, b) => a - b);
    const [p50Ms = 0, p95Ms = 0] = [0.5, 0.95].map((share) => quantile(sorted, share));
    const { p99: p99Ms, ofAll: allP99Ms } = tailOf(waits, seen.seconds);
    return {
      ...{ most: most.requests / most.seconds, rps: seen.requests / seen.seconds, answerP99Ms: seen.p99Ms },
      ...{ runs: started, p50Ms, p95Ms, p99Ms, allP99Ms },
    };
  },
});

const bareRacer = (server: Server, seconds: number): Racer => ({
  name: BARE,
  turn: async () => {
    const {
      requests,
      seconds: took,
      p50Ms,
      p95Ms,
      p99Ms: allP99Ms,
      steadyP99Ms = allP99Ms,
    } = await server.load(seconds);
    const rps = requests / took;
    return { most: rps, rps, answerP99Ms: allP99Ms, runs: 0, p50Ms, p95Ms, p99Ms: steadyP99Ms, allP99Ms };
  },
});

const ratioOf = (results: Results, name: string): number[] =>
  ratios(series(results, name, 'p99Ms'), series(results, BARE, 'p99Ms'));

const HEAD = [
  'contender',
  'greatest rps',
  'rps',
  'answer p99 ms',
  'runs',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'ratio',
  'of all',
];
const tableOf = (results: Results): string[][] => [
  HEAD,
  ...[...results.keys()].map((name) => {
    const middle = (of: string): string => figure(median(series(results, name, of)));
    const ratio = ratioOf(results, name);
    return [
      isUnstable(ratio) ? `${name} UNSTABLE` : name,
      ...[middle('most'), middle('rps'), middle('answerP99Ms'), middle('runs')],
      ...[middle('p50Ms'), middle('p95Ms'), middle('p99Ms'), figure(median(ratio)), middle('allP99Ms')],
    ];
  }),
];

const gatesOf = (results: Results): Gate[] => {
  const says =
    'from an event to the first step of its run, at half of the greatest rate: p99, of that of the bare echo';
  return [SQLITE, POSTGRES]
    .filter((name) => results.has(name))
    .map((name) =>
      ratioGate(`G8.${name === SQLITE ? 'sqlite' : 'postgres'}`, says, ratioOf(results, name), 'at most', 4, 1.6),
    );
};

const NOTES = [
  'every fifth event starts a run of three steps that change nothing; each turn finds the greatest rate of the same service and then keeps half of it; quantiles of the bare server are those of its answers at its greatest rate, 64 connections',
  'from the moment at which the event is planned, before its commit, until its first step begins, as the rows of run and step say, in whole milliseconds; p99 as the median of those of each second, also of the bare server, and of all at once; one process takes events and runs steps',
  'after each stretch every answer is a row, and after each turn every event of that type a run whose first step was taken, or the run is void',
];

/** Delay from events to the first step of the run. Gate: G8. */
export const workflow: Bench = async (setting: Setting) => {
  const { options, postgres, quiet, say } = setting;
  const seconds = SECONDS[options.isQuick ? 'quick' : 'full'];
  const requestsFile = join(places.work, 'starts.txt');
  writeRequests(requestsFile, 0, START_SHARE);
  const client = openLatencyClient();
  const sizes = { client, latencyClient: client, seconds, latencySeconds: seconds, warmUpSeconds: seconds };
  const servers: Server[] = [];
  const opened = async (plan: ServerPlan): Promise<Server> => {
    say(`workflow: starting ${plan.name}`);
    const server = await openServer(plan, sizes);
    servers.push(server);
    return server;
  };
  try {
    const bare = await opened({ name: BARE, program: 'bare', argument: undefined, requestsFile });
    const served = [onSqlite(requestsFile)];
    if (typeof postgres !== 'string') served.push(await onPostgres(requestsFile, postgres));
    const racers = [bareRacer(bare, seconds)];
    for (const one of served) racers.push(racerOf(one, await opened(one.plan), { seconds, quiet }));
    say(`workflow: ${options.rounds} rounds for ${racers.length} contenders`);
    const first = await takeTurns(racers, options.rounds);
    const isShaky = options.isFull && isUnstable(ratioOf(first, SQLITE));
    if (isShaky) say('workflow: measuring again, with double rounds');
    const results = isShaky ? await takeTurns(racers, 2 * options.rounds) : first;
    return {
      name: 'workflow',
      about: `rounds ${options.rounds} x ${seconds} s   ${client.name}   median of the rounds`,
      table: tableOf(results),
      notes: NOTES,
      skips: typeof postgres === 'string' ? [`${POSTGRES}: ${postgres}`] : [],
      gates: gatesOf(results),
      results,
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await client.stop();
  }
};
