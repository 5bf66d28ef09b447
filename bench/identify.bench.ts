// Cost of dynamic segments for an identify call: the same calls with none, some or a hundred segments that use the
// changed trait.
import { join } from 'node:path';
import type { Done, Make, Start } from './contenders/identify.ts';
import type { Fixture } from './contenders/people/fixture.ts';
import type { Bench, Setting } from './lib/bench.ts';
import { type Contender, startContender } from './lib/contender.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import type { Postgres } from './lib/postgres.ts';
import { figure } from './lib/report.ts';
import { type Figures, type Racer, type Results, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { isUnstable, median, ratios } from './lib/statistics.ts';

/** Source: performance design, the identify benchmark. */
const PEOPLE = { quick: 10_000, full: 100_000 };
/** Calls of one turn. Chosen. */
const CALLS = { quick: 2_000, full: 10_000 };
const POSTGRES_CALLS = { quick: 500, full: 3_000 };

type Engine = 'sqlite' | 'postgres';
/** Number of dynamic segments, and whether calls change membership. */
type Way = { readonly audiences: number; readonly isMoving: boolean };
const NONE: Way = { audiences: 0, isMoving: true };
/** The case of the gate. */
const MANY: Way = { audiences: 100, isMoving: true };
const STILL: Way = { audiences: 100, isMoving: false };
const WAYS: Readonly<Record<Engine, readonly Way[]>> = {
  sqlite: [NONE, { audiences: 1, isMoving: true }, { audiences: 10, isMoving: true }, MANY, STILL],
  postgres: [NONE, MANY],
};

const nameOf = (engine: Engine, { audiences, isMoving }: Way): string =>
  `${engine}: ${audiences} live audiences${isMoving ? '' : ', nobody moves'}`;

type Opened = { readonly contender: Contender; readonly way: Way };

const open = async (way: Way, people: number, server: Postgres | null): Promise<Opened> => {
  const { audiences } = way;
  const contender = startContender('identify');
  try {
    const name = `identify-${audiences}-${way.isMoving ? 'moving' : 'still'}`;
    const url = server
      ? await server.create(`bench_identify_${audiences}`)
      : `sqlite:${join(places.work, `${name}.db`)}`;
    const fixture = await contender.ask<Fixture>('make', { root: places.root, url, people, audiences } satisfies Make);
    await server?.analyze(url);
    await contender.ask('start', { root: places.root, url, people, fixture } satisfies Start);
    return { contender, way };
  } catch (error) {
    await contender.stop();
    throw error;
  }
};

const racerOf = (engine: Engine, { contender, way }: Opened, count: number, server: Postgres | null): Racer => {
  const name = nameOf(engine, way);
  return {
    name,
    turn: async () => {
      await server?.settle();
      const before = server?.cpuUs() ?? 0;
      const done = await contender.ask<Done>('run', { count, isMoving: way.isMoving });
      const serverUs = ((server?.cpuUs() ?? 0) - before) / count;
      await contender.ask('check').catch((error: unknown) => {
        throw new VoidRun(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
      return { ...done, cpuUs: done.cpuUs + serverUs, serverUs };
    },
  };
};

const cpuRatio = (results: Results, engine: Engine, way: Way): number[] =>
  ratios(series(results, nameOf(engine, way), 'cpuUs'), series(results, nameOf(engine, NONE), 'cpuUs'));

/** Turns of all cases; those of the gate again, with twice the rounds, if the rounds diverge. */
const measure = async (engine: Engine, { options, postgres, say }: Setting): Promise<Results> => {
  const size = options.isQuick ? 'quick' : 'full';
  const { people = PEOPLE[size] } = options;
  const server = engine === 'postgres' && typeof postgres !== 'string' ? postgres : null;
  const opened: Opened[] = [];
  try {
    for (const way of WAYS[engine]) {
      say(`identify: ${people} profiles, ${nameOf(engine, way)}`);
      opened.push(await open(way, people, server));
    }
    const count = (server ? POSTGRES_CALLS : CALLS)[size];
    const racers = opened.map((one) => racerOf(engine, one, count, server));
    await takeTurns(racers, 1);
    const results = await takeTurns(racers, options.rounds);
    if (!options.isFull || !isUnstable(cpuRatio(results, engine, MANY))) return results;
    say(`identify: measuring again, with double rounds: ${nameOf(engine, MANY)}`);
    const pair = racers.filter(({ name }) => [NONE, MANY].some((way) => name === nameOf(engine, way)));
    return new Map([...results, ...(await takeTurns(pair, 2 * options.rounds))]);
  } finally {
    await Promise.all(opened.map(({ contender }) => contender.stop()));
  }
};

const HEAD = ['identify', 'calls/s', 'cpu us', 'ratio', 'of it server', 'memberships changed'];

const rowsOf = (results: Results, engine: Engine): string[][] =>
  WAYS[engine].map((way) => {
    const name = nameOf(engine, way);
    const middle = (of: string): string => figure(median(series(results, name, of)));
    const ratio = cpuRatio(results, engine, way);
    return [
      isUnstable(ratio) ? `${name} UNSTABLE` : name,
      ...[middle('rate'), middle('cpuUs'), figure(median(ratio)), middle('serverUs'), middle('changed')],
    ];
  });

const NOTES = [
  '64 calls at once through the library, each of somebody else; each changes one trait of nine, which all audiences ask about, and with 100 of them five memberships in the mean, or none where nobody moves; durable as the product is',
  'after each turn the memberships in the database are those that the traits say, or the run is void; audiences and members are made by SQL before',
];

/** CPU of identify calls beside dynamic segments. Gate: G11. */
export const identify: Bench = async (setting) => {
  const { options, postgres } = setting;
  const all = new Map<string, readonly Figures[]>();
  const table: string[][] = [HEAD];
  const gates: Gate[] = [];
  const engines: readonly Engine[] = typeof postgres === 'string' ? ['sqlite'] : ['sqlite', 'postgres'];
  for (const engine of engines) {
    const results = await measure(engine, setting);
    for (const [name, turns] of results) all.set(name, turns);
    table.push(...rowsOf(results, engine));
    const says = `identify with ${MANY.audiences} live audiences, of none: CPU`;
    gates.push(ratioGate(`G11.${engine}`, says, cpuRatio(results, engine, MANY), 'at most', 2, 1.3));
  }
  const size = options.isQuick ? 'quick' : 'full';
  const { people = PEOPLE[size] } = options;
  return {
    name: 'identify',
    about: `rounds ${options.rounds} x ${CALLS[size]} calls of ${people.toLocaleString('en-US')} people   median of the rounds`,
    table,
    notes: NOTES,
    skips: typeof postgres === 'string' ? [`postgres: ${postgres}`] : [],
    gates,
    results: all,
  };
};
