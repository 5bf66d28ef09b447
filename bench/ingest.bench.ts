// POST /events over the whole path, against node:http that only echoes, and against a transaction per request.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Start } from './contenders/beckon.ts';
import type { Bench, Setting } from './lib/bench.ts';
import { BATCH_EVENTS, writeBatches, writeRequests } from './lib/fixtures.ts';
import { type Gate, memoryGate, ratioGate } from './lib/gates.ts';
import { openLatencyClient } from './lib/load.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Results, series, takeTurns } from './lib/rounds.ts';
import { openServer, type Server, type ServerPlan } from './lib/servers.ts';
import { isUnstable, median, ratios } from './lib/statistics.ts';

const BARE = 'bare node:http';
const INLINE = 'beckon, sqlite';
const ONE_BY_ONE = 'beckon, sqlite, a commit each';
const UNCOUNTED = 'beckon, sqlite, no rate limits';
const BOUNDED = 'beckon, sqlite, a monthly quota';
const MIXED = 'beckon, sqlite, 10 % identify';
const BATCHES = `beckon, sqlite, batches of ${BATCH_EVENTS}`;
const POSTGRES = 'beckon, postgres';

const IDENTIFY_SHARE = 0.1;
const WARM_UP_SECONDS = { quick: 1, full: 3 };
/** Duration of latency measurements after each turn. Chosen: tens of thousands of responses. */
const LATENCY_SECONDS = 2;

const events = (file: string): number => {
  const database = new Database(file, { readonly: true });
  try {
    return Number(database.prepare('select count(*) from events').pluck().get());
  } finally {
    database.close();
  }
};

const onSqlite = (name: string, requestsFile: string, given: Partial<Start> = {}): ServerPlan => {
  const file = join(places.work, `${name.replaceAll(/\W+/g, '-')}.db`);
  const argument: Start = { root: places.root, db: `sqlite:${file}`, isOneByOne: false, ...given };
  return { name, program: 'beckon', argument, requestsFile, count: async () => events(file) };
};

const plansOf = async ({ options, postgres }: Setting): Promise<ServerPlan[]> => {
  const requestsFile = join(places.work, 'events.txt');
  const mixedFile = join(places.work, 'mixed.txt');
  writeRequests(requestsFile, 0);
  writeRequests(mixedFile, IDENTIFY_SHARE);
  const batchesFile = join(places.work, 'batches.txt');
  writeBatches(batchesFile);
  const plans: ServerPlan[] = [
    { name: BARE, program: 'bare', argument: undefined, requestsFile },
    onSqlite(INLINE, requestsFile),
    onSqlite(ONE_BY_ONE, requestsFile, { isOneByOne: true }),
    onSqlite(UNCOUNTED, requestsFile, { isUncounted: true }),
    onSqlite(BOUNDED, requestsFile, { hasQuota: true }),
    onSqlite(MIXED, mixedFile),
    { ...onSqlite(BATCHES, batchesFile), rowsPerRequest: BATCH_EVENTS },
  ];
  if (options.also !== undefined) plans.push(onSqlite(`also ${options.also}`, requestsFile, { root: options.also }));
  if (typeof postgres === 'string') return plans;
  const db = await postgres.create('bench_ingest');
  const argument: Start = { root: places.root, db, isOneByOne: false };
  const count = async (): Promise<number> => Number(await postgres.value(db, 'select count(*) from events'));
  const { cpuUs: serverCpuUs, settle } = postgres;
  const warmed = (): Promise<void> => postgres.analyze(db);
  return [...plans, { name: POSTGRES, program: 'beckon', argument, requestsFile, count, serverCpuUs, settle, warmed }];
};

/** All turns of a run; repeated measurements replace earlier ones and are compared with each other. */
type Runs = readonly Results[];
const lastOf = (runs: Runs, name: string): Results => runs.findLast((run) => run.has(name)) ?? new Map();
const ratioTo = (runs: Runs, name: string, base: string, of: string): number[] => {
  const run = lastOf(runs, name);
  return ratios(series(run, name, of), series(run, base, of));
};
const groupGain = (runs: Runs): number[] => ratioTo(runs, ONE_BY_ONE, INLINE, 'rps').map((ratio) => 1 / ratio);

/** Cost of rate limits and a quota, in requests to the bare echo; the spread is that of one service over the other. */
const limitsGate = (runs: Runs): Gate => {
  const run = runs.findLast((one) => one.has(UNCOUNTED) && one.has(BOUNDED)) ?? new Map();
  const of = (name: string): number[] => series(run, name, 'cpuUs');
  const uncounted = of(UNCOUNTED);
  const more = of(BOUNDED).map((cpuUs, round) => cpuUs - (uncounted[round] ?? Number.NaN));
  return {
    id: 'limits.cpu',
    says: 'rate limits and a monthly quota on POST /events: their CPU, of a request to the bare echo',
    values: ratios(more, of(BARE)),
    steady: ratios(of(BOUNDED), uncounted),
    ...{ bound: 'at most', limit: 0.3, stretch: 0.15, unit: '' },
  };
};

const isShaky = (runs: Runs, name: string): boolean =>
  ['rps', 'cpuUs'].some((of) => isUnstable(ratioTo(runs, name, BARE, of))) ||
  (name === ONE_BY_ONE && isUnstable(groupGain(runs)));

const tableOf = (runs: Runs, servers: readonly Server[]): string[][] => [
  [
    'contender',
    'rps',
    'ratio',
    'cpu us',
    'ratio',
    'of it db',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'ratio',
    'loop p99',
    'rss MB',
    'idle MB',
  ],
  ...servers.map(({ name, idleMb }) => {
    const middle = (of: string): string => figure(median(series(lastOf(runs, name), name, of)));
    const ratio = (of: string): string => figure(median(ratioTo(runs, name, BARE, of)));
    return [
      isShaky(runs, name) ? `${name} UNSTABLE` : name,
      ...[middle('rps'), ratio('rps'), middle('cpuUs'), ratio('cpuUs'), middle('serverUs')],
      ...[middle('p50Ms'), middle('p95Ms'), middle('p99Ms'), ratio('p99Ms')],
      ...[middle('loopP99Ms'), middle('rssMb'), figure(idleMb)],
    ];
  }),
];

const gatesOf = (runs: Runs, servers: readonly Server[]): Gate[] => {
  const idle = (name: string): number[] => servers.filter((one) => one.name === name).map(({ idleMb }) => idleMb);
  const run = lastOf(runs, INLINE);
  const ofBare = 'POST /events, durable, of the bare echo:';
  return [
    ratioGate(
      'G1.rps.inline',
      `${ofBare} requests per second`,
      ratioTo(runs, INLINE, BARE, 'rps'),
      'at least',
      0.3,
      0.4,
    ),
    ratioGate('G1.cpu.inline', `${ofBare} CPU per request`, ratioTo(runs, INLINE, BARE, 'cpuUs'), 'at most', 3.2, 2.5),
    ratioGate(
      'G2',
      `${ofBare} p99 of a client that waits for its answers`,
      ratioTo(runs, INLINE, BARE, 'p99Ms'),
      'at most',
      4,
      2.5,
    ),
    ratioGate(
      'G4',
      `POST /events/batch, ${BATCH_EVENTS} events of different people: CPU per event, of a request to the bare echo`,
      ratioTo(runs, BATCHES, BARE, 'cpuUs'),
      'at most',
      0.9,
      0.6,
    ),
    ratioGate('G3', 'group commit over a commit per request: requests per second', groupGain(runs), 'at least', 3, 8),
    ratioGate(
      'G20',
      'CPU per event end to end, of the bare echo',
      ratioTo(runs, MIXED, BARE, 'cpuUs'),
      'at most',
      4,
      3,
    ),
    limitsGate(runs),
    memoryGate('G21.idle', 'memory above the bare echo, idle', idle(INLINE), idle(BARE), 60, 40),
    memoryGate(
      'G21.load',
      'memory above the bare echo, under load',
      series(run, INLINE, 'rssMb'),
      series(run, BARE, 'rssMb'),
      120,
      80,
    ),
  ];
};

const NOTES = [
  'every 2xx is a row after COMMIT with synchronous=FULL (postgres: synchronous_commit=on), counted after each round',
  'bodies of 420 bytes, 10,000 users with 8 traits each and 20 event types, both Zipf 1.0, 3 projects; every second event has a messageId of its own; one active workflow per project that never matches; a worker without work',
  'no rate limits: the same service, with buckets that count nothing; all others count every call, and refuse none; a monthly quota: events are taken from a plan that has one, which nobody reaches, while those of all others are only counted',
  'a commit each: the same service, given one event at a time; batches: rates and CPU are those of one event',
  'message ids are random UUIDs; latencies are those of our own client, in a stretch of its own after each turn: it sends a request when it has the answer of the one before',
];

const SKIPS = [
  'G21 slope: ten minutes of steady load do not fit into this run',
  'G21 during a fan-out: not part of this benchmark',
];

/** Requests per second, CPU, latency and memory of accepting events. Gates: G1 to G4, G20, G21. */
export const ingest: Bench = async (setting) => {
  const { options, client, postgres, say } = setting;
  const { rounds, seconds, isQuick, isFull } = options;
  const warmUpSeconds = isQuick ? WARM_UP_SECONDS.quick : WARM_UP_SECONDS.full;
  const servers: Server[] = [];
  const latencyClient = client.name.startsWith('own') ? client : openLatencyClient();
  const sizes = { client, latencyClient, seconds, latencySeconds: Math.min(seconds, LATENCY_SECONDS), warmUpSeconds };
  try {
    for (const plan of await plansOf(setting)) {
      say(`ingest: starting ${plan.name}`);
      servers.push(await openServer(plan, sizes));
    }
    say(`ingest: ${rounds} rounds of ${seconds} s for ${servers.length} contenders`);
    const runs: Results[] = [await takeTurns(servers, rounds)];
    // PostgreSQL has no gate here, and is not worth four minutes of the other benchmarks' time.
    const shaky = servers.filter(({ name }) => name !== POSTGRES && isShaky(runs, name));
    if (shaky.length > 0 && isFull) {
      say(`ingest: measuring again, with double rounds: ${shaky.map(({ name }) => name).join(', ')}`);
      const again = servers.filter((one) => [BARE, INLINE].includes(one.name) || shaky.includes(one));
      runs.push(await takeTurns(again, 2 * rounds));
    }
    return {
      name: 'ingest',
      about: `rounds ${rounds} x ${seconds} s   ${client.name}   median of the rounds`,
      table: tableOf(runs, servers),
      notes: NOTES,
      skips: [...(typeof postgres === 'string' ? [`${POSTGRES}: ${postgres}`] : []), ...SKIPS],
      gates: gatesOf(runs, servers),
      results: new Map(servers.map(({ name }) => [name, lastOf(runs, name).get(name) ?? []])),
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    if (latencyClient !== client) await latencyClient.stop();
  }
};
