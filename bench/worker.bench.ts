// Jobs that do nothing: through the product's work engine, by hand on the same table, and in other queues.
import { join } from 'node:path';
import type { Bench, Setting } from './lib/bench.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { BULLMQ, GRAPHILE, peerName, peerPlans, peerVersion } from './lib/peers.ts';
import { places } from './lib/places.ts';
import type { Postgres } from './lib/postgres.ts';
import { type OpenQueue, openQueue, PER_SECOND, type QueuePlan } from './lib/queues.ts';
import { openRedis } from './lib/redis.ts';
import { figure } from './lib/report.ts';
import { type Results, series, takeTurns } from './lib/rounds.ts';
import { isUnstable, median, quantile, ratios } from './lib/statistics.ts';

const RAW = 'raw, sqlite';
const PRODUCT = 'beckon, sqlite';
const RAW_POSTGRES = 'raw, postgres';
const POSTGRES = 'beckon, postgres';
/** Runs of three steps, each of which counts as a job. */
const STEPS = ', three steps of a workflow';
const STEPPED = [PRODUCT, POSTGRES].map((name) => `${name}${STEPS}`);
const TUNED = peerName(GRAPHILE, 'tuned');
const BULL = peerName(BULLMQ, 'default');

/** Maximum rows in progress, as for the queue of messages. */
const PLACES = 2_048;
/** Share of jobs and latencies in a quick run. */
const QUICK_SHARE = 0.2;

const ownPlans = async (server: Postgres | string): Promise<QueuePlan[]> => {
  const file = (name: string): string => `sqlite:${join(places.work, `worker-${name}.db`)}`;
  const engine = (name: string, way: string, jobs: number, starts: number | null = null): QueuePlan => ({
    ...{ name, program: 'worker', way, url: file(way), jobs, starts },
  });
  const steps = (name: string, way: string, jobs: number): QueuePlan => ({
    ...{ name, program: 'worker-steps', way, url: file(`steps-${way}`), jobs, starts: null },
  });
  const onSqlite: QueuePlan[] = [
    engine(RAW, 'raw', 50_000),
    engine(PRODUCT, String(PLACES), 50_000, 40),
    engine(`${PRODUCT}, 256 in hand`, '256', 20_000),
    engine(`${PRODUCT}, 64 in hand`, '64', 6_000),
    engine(`${PRODUCT}, 1 in hand`, '1', 300),
    {
      ...{ name: `${PRODUCT}, a text message`, program: 'worker-product', way: '', url: file('product') },
      ...{ jobs: null, starts: 15 },
    },
    steps(`${RAW}${STEPS}`, 'raw', 6_000),
    steps(`${PRODUCT}${STEPS}`, 'product', 6_000),
  ];
  if (typeof server === 'string') return onSqlite;
  const url = (side: string): Promise<string> => server.create(`bench_worker_${side}`);
  return [
    ...onSqlite,
    { ...engine(RAW_POSTGRES, 'raw', 6_000), url: await url('raw'), server },
    { ...engine(POSTGRES, String(PLACES), 6_000, 15), url: await url('beckon'), server },
    { ...steps(`${RAW_POSTGRES}${STEPS}`, 'raw', 3_000), url: await url('steps_raw'), server },
    { ...steps(`${POSTGRES}${STEPS}`, 'product', 3_000), url: await url('steps'), server },
  ];
};

/** The contender to compare with: the same work by hand on the same database. */
const baseOf = (name: string): string =>
  `${name.includes('postgres') ? RAW_POSTGRES : RAW}${name.endsWith(STEPS) ? STEPS : ''}`;
/** Programs with an implementation by hand. */
const COMPARED: ReadonlySet<string> = new Set(['worker', 'worker-steps']);

/** All turns of a run; repeated measurements replace earlier ones and are compared with each other. */
type Runs = readonly Results[];
const lastOf = (runs: Runs, ...names: readonly string[]): Results =>
  runs.findLast((run) => names.every((name) => run.has(name))) ?? new Map();
const ratioTo = (runs: Runs, name: string, base: string, of: string): number[] => {
  const run = lastOf(runs, name, base);
  return ratios(series(run, name, of), series(run, base, of));
};

const pooled = ({ latencies }: OpenQueue, share: number): number =>
  quantile(
    latencies.toSorted((a, b) => a - b),
    share,
  );

const HEAD = [
  ...['contender', 'jobs', 'per second', 'of raw', 'cpu us', 'of raw', 'of it server'],
  ...['started p50 ms', 'p95 ms', 'p99 ms'],
];

const rowOf = (rates: Runs, queue: OpenQueue): string[] => {
  const { name, jobs, program, starts } = queue;
  const middle = (of: string): string => figure(median(series(lastOf(rates, name), name, of)));
  const ofRaw = (of: string): string =>
    COMPARED.has(program) ? figure(median(ratioTo(rates, name, baseOf(name), of))) : '-';
  const isShaky = COMPARED.has(program) && jobs !== null && isUnstable(ratioTo(rates, name, baseOf(name), 'rate'));
  return [
    isShaky ? `${name} UNSTABLE` : name,
    ...(jobs === null
      ? Array<string>(6).fill('-')
      : [figure(jobs), middle('rate'), ofRaw('rate'), middle('cpuUs'), ofRaw('cpuUs'), middle('serverUs')]),
    ...(starts === null ? ['-', '-', '-'] : [0.5, 0.95, 0.99].map((share) => figure(pooled(queue, share)))),
  ];
};

/** Gates for rates; those of a missing peer are left out, and a line reports it. */
const rateGates = (rates: Runs): Gate[] => {
  const ran = (name: string): boolean => rates.some((run) => run.has(name));
  const over = (name: string): number[] => ratioTo(rates, PRODUCT, name, 'rate');
  const dispatched = 'sqlite, jobs that do nothing: per second,';
  return [
    ratioGate('G5', `${dispatched} of the same by hand`, over(RAW), 'at least', 0.75, 0.9),
    ...STEPPED.flatMap((name) =>
      ran(name)
        ? [
            ratioGate(
              `steps.${name.includes('postgres') ? 'postgres' : 'sqlite'}`,
              'runs of workflows through three steps: steps per second, of the same rows by hand',
              ratioTo(rates, name, baseOf(name), 'rate'),
              'at least',
              0.6,
              0.75,
            ),
          ]
        : [],
    ),
    ...(ran(TUNED) ? [ratioGate('G6.graphile', `${dispatched} over ${TUNED}`, over(TUNED), 'at least', 4, 8)] : []),
    ...(ran(BULL) ? [ratioGate('G6.bullmq', `${dispatched} over ${BULLMQ}`, over(BULL), 'at least', 5, 10)] : []),
  ];
};

const latencyGates = (starts: Runs, queues: readonly OpenQueue[]): Gate[] => {
  const mine = queues.find(({ name }) => name === PRODUCT);
  const theirs = queues.find(({ name }) => name === BULL);
  if (!mine || !theirs) return [];
  const says = 'sqlite, from adding a job to its start, idle,';
  const p99 = pooled(mine, 0.99) / pooled(theirs, 0.99);
  return [
    ratioGate('G7.p50', `${says} p50 of that of ${BULLMQ}`, ratioTo(starts, PRODUCT, BULL, 'p50Ms'), 'at most', 1, 0.6),
    ratioGate('G7.p99', `${says} p99 of all rounds together, of that of ${BULLMQ}`, [p99], 'at most', 1, 0.6),
  ];
};

/** Contenders of the gates for the product's rate. */
const GATED = [RAW, TUNED, BULL];
const withoutGates = (queues: readonly OpenQueue[]): string[] => [
  ...(queues.some(({ name }) => name === TUNED) ? [] : [`G6 against ${GRAPHILE}: it did not run`]),
  ...(queues.some(({ name }) => name === BULL) ? [] : [`G6 and G7 against ${BULLMQ}: it did not run`]),
];

const NOTES = [
  'a job is a message row: claimed under a lease and a fence, given to a handler that does nothing, ended durably by the guarded statement of outcomes; synchronous=FULL, synchronous_commit=on; each turn begins with the same rows, on postgres beside 50,000 that have ended before',
  `beckon: its own worker and storage with ${PLACES.toLocaleString('en-US')} rows in hand at most, as its queue of messages has, unless said otherwise; a claim takes 256 at most`,
  `three steps: a run is claimed, its step taken, its next state and a row of the step written, three times; each step is an \`update_profile\` that changes nothing; the whole worker of the product, 128 runs in hand, which writes steps that are due at once in one commit; by hand the same rows, 256 at a time, a claim and a state for each step`,
  'raw: on one connection, one transaction ends 256 rows and claims the next 256, with the same texts, values and pragmas',
  `started: from the call that adds a job until its handler begins, ${PER_SECOND} a second, in one process; quantiles of all rounds; a text message: until its provider has the request, two more commits and a connection later`,
  'after each turn every row has ended once and every handler was called once, or the run is void; CPU is that of the process and of its database server',
];
const PEER_NOTES = [
  `peers keep less of a job than a message row, and delete it (${GRAPHILE}, ${BULLMQ}) or keep its end; ${BULLMQ}: Redis with appendonly everysec, less durable; plainjob: synchronous=NORMAL, less durable, polls each second; pg-boss: batches of 250 in four loops; ${GRAPHILE}: 24 at a time, tuned with a local queue of 500 and batched ends`,
];

/** Jobs of all contenders; again, with twice the rounds, for gates whose rounds diverge. */
const measureRates = async (queues: readonly OpenQueue[], { options, say }: Setting): Promise<Runs> => {
  const { rounds, isFull } = options;
  const racers = queues.filter(({ jobs }) => jobs !== null).map(({ throughput }) => throughput);
  say(`worker: ${rounds} rounds for ${racers.length} contenders`);
  await takeTurns(racers, 1);
  const first = await takeTurns(racers, rounds);
  const isShaky = (name: string, base: string) => first.has(name) && isUnstable(ratioTo([first], name, base, 'rate'));
  const shaky = [
    ...GATED.filter((name) => first.has(name) && isShaky(PRODUCT, name)).flatMap((name) => [PRODUCT, RAW, name]),
    ...STEPPED.filter((name) => isShaky(name, baseOf(name))).flatMap((name) => [name, baseOf(name)]),
  ];
  if (!isFull || shaky.length === 0) return [first];
  say(`worker: measuring again, with double rounds: ${[...new Set(shaky)].join('; ')}`);
  const again = racers.filter(({ name }) => shaky.includes(name));
  return [first, await takeTurns(again, 2 * rounds)];
};

/** Start latency of all contenders; again for the two of a gate, if their rounds diverge. */
const measureStarts = async (queues: readonly OpenQueue[], { options, say }: Setting): Promise<Runs> => {
  const { rounds, isFull } = options;
  const racers = queues.filter(({ starts }) => starts !== null).map(({ latency }) => latency);
  say('worker: start latency');
  const first = await takeTurns(racers, rounds);
  if (!isFull || !first.has(BULL) || !isUnstable(ratioTo([first], PRODUCT, BULL, 'p50Ms'))) return [first];
  say(`worker: measuring again, with double rounds: start latency of ${PRODUCT}; ${BULL}`);
  const again = racers.filter(({ name }) => name === PRODUCT || name === BULL);
  return [first, await takeTurns(again, 2 * rounds)];
};

/** Jobs a second, CPU of one, and how soon it starts. Gates: G5, G6, G7. */
export const worker: Bench = async (setting) => {
  const { options, postgres, say } = setting;
  const sized = (count: number | null): number | null =>
    count === null ? null : Math.ceil(count * (options.isQuick ? QUICK_SHARE : 1));
  const redis = await openRedis();
  const queues: OpenQueue[] = [];
  try {
    const { plans, skips } = await peerPlans(postgres, redis);
    for (const plan of [...(await ownPlans(postgres)), ...plans]) {
      say(`worker: starting ${plan.name}`);
      queues.push(await openQueue({ ...plan, jobs: sized(plan.jobs), starts: sized(plan.starts) }));
    }
    const rates = await measureRates(queues, setting);
    const starts = await measureStarts(queues, setting);
    const versions = [...new Set(plans.map(({ name }) => name.split(',')[0] ?? ''))];
    return {
      name: 'worker',
      about: [
        `rounds ${options.rounds}   rates and CPU: median of the rounds`,
        ...versions.map((name) => `${name} ${peerVersion(name)}`),
      ].join('   '),
      table: [HEAD, ...queues.map((queue) => rowOf(rates, queue))],
      notes: [...NOTES, ...(plans.length > 0 ? PEER_NOTES : [])],
      skips: [...(typeof postgres === 'string' ? [`${POSTGRES}: ${postgres}`] : []), ...skips, ...withoutGates(queues)],
      gates: [...rateGates(rates), ...latencyGates(starts, queues)],
      results: new Map(
        queues.map(({ name }) => [name, [rates, starts].flatMap((runs) => lastOf(runs, name).get(name) ?? [])]),
      ),
    };
  } finally {
    await Promise.all(queues.map((queue) => queue.stop()));
    if (typeof redis !== 'string') await redis.stop();
  }
};
