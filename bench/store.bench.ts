// Each hot statement through the product's storage, against the same statement by hand on the driver beneath it.
import { join } from 'node:path';
import type { Done, Order, Start, Statement } from './contenders/store.ts';
import type { Bench } from './lib/bench.ts';
import { type Contender, startContender } from './lib/contender.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import type { Postgres } from './lib/postgres.ts';
import { figure } from './lib/report.ts';
import { type Racer, type Results, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { isUnstable, median, ratios, spread } from './lib/statistics.ts';

/** Operations of one turn. Source: performance design, the store benchmark. */
const OPERATIONS = { quick: 4_000, full: 20_000 };

type Engine = 'sqlite' | 'postgres';
type Limits = { readonly limit: number; readonly stretch: number };
type Line = {
  readonly statement: Statement;
  readonly says: string;
  readonly limits: Partial<Readonly<Record<Engine, Limits>>> | null;
  /** Default: G15, with the database and the statement. */
  readonly gate?: string;
};

const NAMED = { limit: 1.1, stretch: 1.05 };
const ROW = { sqlite: { limit: 1.4, stretch: 1.2 }, postgres: NAMED };
const LINES: readonly Line[] = [
  {
    statement: 'read',
    says: 'profile by its key',
    limits: { sqlite: { limit: 2.2, stretch: 1.6 }, postgres: NAMED },
  },
  { statement: 'insert', says: 'event insert, 256 per commit', limits: ROW },
  {
    statement: 'ingest',
    says: 'events as they come, 44 per commit',
    limits: { sqlite: { limit: 1.5, stretch: 1.25 } },
    gate: 'G25',
  },
  { statement: 'change', says: 'profile change, 256 per commit', limits: ROW },
  { statement: 'claim', says: 'claim 256 and finish them', limits: ROW },
  // Cost of a statement that is built each time; the reason why hot statements are not.
  { statement: 'readBuilt', says: 'profile by its key, query builder', limits: null },
];
const SIDES = ['raw', 'product'] as const;

type Pair = {
  readonly engine: Engine;
  readonly sides: Readonly<Record<(typeof SIDES)[number], Contender>>;
  serverCpuUs(): number;
  /** Called after the discarded turn of each statement. */
  warmed(): Promise<void>;
};

const nameOf = (engine: Engine, line: Line, side: (typeof SIDES)[number]): string =>
  `${engine} ${line.statement} ${side}`;

const openPair = async (
  engine: Engine,
  urlOf: (side: string) => Promise<string>,
  server: Postgres | null,
): Promise<Pair> => {
  const sides = { raw: startContender('store'), product: startContender('store') };
  const urls: string[] = [];
  try {
    for (const side of SIDES) {
      const argument: Start = { side, url: await urlOf(side) };
      urls.push(argument.url);
      await sides[side].ask('start', argument);
    }
  } catch (error) {
    await Promise.all(SIDES.map((side) => sides[side].stop()));
    throw error;
  }
  const warmed = async (): Promise<void> => {
    for (const url of urls) await server?.analyze(url);
  };
  return { engine, sides, serverCpuUs: server?.cpuUs ?? (() => 0), warmed };
};

const racerOf = (
  { engine, sides, serverCpuUs }: Pair,
  line: Line,
  side: (typeof SIDES)[number],
  count: number,
): Racer => ({
  name: nameOf(engine, line, side),
  turn: async () => {
    const before = serverCpuUs();
    const order: Order = { statement: line.statement, count };
    const { cpuUs, wallMs } = await sides[side].ask<Done>('run', order).catch((error: unknown) => {
      throw new VoidRun(error instanceof Error ? error.message : String(error));
    });
    const serverUs = serverCpuUs() - before;
    return { cpuUs: (cpuUs + serverUs) / count, serverUs: serverUs / count, wallUs: (wallMs * 1_000) / count };
  },
});

const ratioOf = (results: Results, engine: Engine, line: Line): number[] =>
  ratios(
    series(results, nameOf(engine, line, 'product'), 'cpuUs'),
    series(results, nameOf(engine, line, 'raw'), 'cpuUs'),
  );

/** Measures one statement; again with twice the rounds if the rounds diverge. */
const measure = async (pair: Pair, line: Line, count: number, rounds: number, isFull: boolean): Promise<Results> => {
  const racers = SIDES.map((side) => racerOf(pair, line, side, count));
  await takeTurns(racers, 1);
  await pair.warmed();
  const results = await takeTurns(racers, rounds);
  return !isFull || !isUnstable(ratioOf(results, pair.engine, line)) ? results : takeTurns(racers, 2 * rounds);
};

const rowOf = (results: Results, engine: Engine, line: Line): string[] => {
  const middle = (side: (typeof SIDES)[number], of: string): string =>
    figure(median(series(results, nameOf(engine, line, side), of)));
  const ratio = ratioOf(results, engine, line);
  return [
    `${engine}: ${line.says}${isUnstable(ratio) ? ' UNSTABLE' : ''}`,
    ...[middle('raw', 'cpuUs'), middle('product', 'cpuUs'), figure(median(ratio)), figure(spread(ratio))],
    ...(engine === 'postgres' ? [middle('raw', 'serverUs'), middle('product', 'serverUs')] : ['-', '-']),
    ...[middle('raw', 'wallUs'), middle('product', 'wallUs')],
  ];
};

const gateOf = (results: Results, engine: Engine, line: Line): Gate[] => {
  const limits = line.limits?.[engine];
  if (!limits) return [];
  const says = `${engine}, ${line.says}: CPU, of that by hand`;
  const id = line.gate ?? `G15.${engine}.${line.statement}`;
  return [ratioGate(id, says, ratioOf(results, engine, line), 'at most', limits.limit, limits.stretch)];
};

const HEAD = ['statement', 'raw cpu us', 'store', 'ratio', 'spread', 'of it db: raw', 'store', 'raw wall us', 'store'];

/** CPU of the hot statements. Gates: G15, G25. */
export const store: Bench = async ({ options, postgres, say }) => {
  const { rounds, isQuick, isFull } = options;
  const count = isQuick ? OPERATIONS.quick : OPERATIONS.full;
  const server = typeof postgres === 'string' ? null : postgres;
  const pairs: Pair[] = [];
  const all = new Map<string, Results extends ReadonlyMap<string, infer Turns> ? Turns : never>();
  const table: string[][] = [HEAD];
  const gates: Gate[] = [];
  try {
    say('store: starting');
    pairs.push(await openPair('sqlite', async (side) => `sqlite:${join(places.work, `store-${side}.db`)}`, null));
    if (server) pairs.push(await openPair('postgres', (side) => server.create(`bench_store_${side}`), server));
    for (const pair of pairs) {
      for (const line of LINES) {
        say(`store: ${pair.engine}, ${line.says}`);
        const results = await measure(pair, line, count, rounds, isFull);
        for (const [name, turns] of results) all.set(name, turns);
        table.push(rowOf(results, pair.engine, line));
        gates.push(...gateOf(results, pair.engine, line));
        if (pair.engine === 'postgres') await server?.settle();
      }
    }
  } finally {
    for (const { sides } of pairs) await Promise.all(SIDES.map((side) => sides[side].stop()));
  }
  return {
    name: 'store',
    about: `rounds ${rounds} x ${count.toLocaleString('en-US')} operations   per operation, median of the rounds`,
    table,
    notes: [
      'raw: prepared statements of better-sqlite3 and named ones of pg, with the same texts, values and pragmas, bound by hand; a read gives the same values, JSON and dates included',
      'events as they come: people by Zipf, a message id with every second; the store with its index over people, which is derived behind the ingest on SQLite and which the raw side has not',
      'postgres: CPU is that of both processes, the client and the database server; analyzed after the discarded turn',
    ],
    skips: typeof postgres === 'string' ? [`postgres: ${postgres}`] : [],
    gates,
    results: all,
  };
};
