// Cost of segment queries: member counts and previews of predicates, against the same by hand, and the delay of events
// beside them.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ask, Built, Done, Make, Question, Start } from './contenders/audience.ts';
import type { Fixture } from './contenders/people/fixture.ts';
import type { Bench, Setting } from './lib/bench.ts';
import { type Contender, startContender } from './lib/contender.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import type { Options } from './lib/options.ts';
import { places } from './lib/places.ts';
import type { Postgres } from './lib/postgres.ts';
import { figure } from './lib/report.ts';
import { type Figures, type Racer, type Results, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { isUnstable, median, ratios } from './lib/statistics.ts';

/** Profiles. Source: performance design, the audience benchmark. */
const PEOPLE = { quick: 20_000, full: 1_000_000 };
const peopleOf = ({ people, isQuick }: Options): number => people ?? PEOPLE[isQuick ? 'quick' : 'full'];
/** Further segments, so that rows of other segments lie between the counted ones. Chosen. */
const AUDIENCES = 10;
/** Duration of events, alone and beside previews, in milliseconds. Chosen. */
const EVENTS_MS = { quick: 1_000, full: 12_000 };
/** Segments to build, from how many users, and the maximum duration. Chosen: printed without a gate. */
const BUILT = 100;
const BUILT_OF = { quick: 1_000, full: 20_000 };
const BUILD_MS = { quick: 10_000, full: 40_000 };

type Engine = 'sqlite' | 'postgres';
type Side = 'hand' | 'product';
type Line = {
  readonly question: Question;
  readonly says: string;
  /** Queries per turn. */
  readonly times: { readonly quick: number; readonly full: number };
  readonly isAlsoOnPostgres: boolean;
  readonly gate: { readonly id: string; readonly limit: number; readonly stretch: number } | null;
};

const SCAN = { id: 'G10', limit: 1.3, stretch: 1 };
const SCANS = { quick: 3, full: 1 };
const LINES: readonly Line[] = [
  {
    ...{ question: 'count', says: 'members of an audience', times: { quick: 200, full: 50 } },
    ...{ isAlsoOnPostgres: true, gate: { id: 'G9', limit: 1.5, stretch: 1.1 } },
  },
  {
    ...{ question: 'members', says: 'first page of them', times: { quick: 200, full: 200 } },
    ...{ isAlsoOnPostgres: true, gate: null },
  },
  {
    ...{ question: 'and', says: 'three predicates at once', times: SCANS },
    ...{ isAlsoOnPostgres: true, gate: SCAN },
  },
  {
    ...{ question: 'missing', says: 'a value, or none', times: SCANS },
    ...{ isAlsoOnPostgres: false, gate: { ...SCAN, id: 'G10.missing' } },
  },
  {
    ...{ question: 'not', says: 'a "not" within a "not"', times: SCANS },
    ...{ isAlsoOnPostgres: false, gate: { ...SCAN, id: 'G10.not' } },
  },
];

const nameOf = (engine: Engine, { says }: Line, side: Side): string =>
  `${engine}: ${says}, ${side === 'hand' ? 'by hand' : 'beckon'}`;
const eventsName = (engine: Engine, isBusy: boolean): string =>
  `${engine}: events${isBusy ? ' beside previews' : ' alone'}`;

type Sides = Readonly<Record<Side, Contender>>;
type Open = { readonly engine: Engine; readonly server: Postgres | null; readonly sides: Sides };

const linesOf = (engine: Engine): readonly Line[] =>
  LINES.filter(({ isAlsoOnPostgres }) => engine === 'sqlite' || isAlsoOnPostgres);

const lineRacers = ({ engine, server, sides }: Open, size: 'quick' | 'full') => {
  const cpuUs = (): number => server?.cpuUs() ?? 0;
  return (line: Line): Racer[] =>
    (['hand', 'product'] as const).map((side) => ({
      name: nameOf(engine, line, side),
      turn: async (): Promise<Figures> => {
        const times = line.times[size];
        const before = cpuUs();
        const done = await sides[side].ask<Done>('ask', { question: line.question, times } satisfies Ask);
        return { ...done, cpuUs: done.cpuUs + (cpuUs() - before) / times };
      },
    }));
};
const eventRacers = ({ engine, sides }: Open, ms: number, quiet: () => Promise<void>): Racer[] =>
  [false, true].map((isBusy) => ({
    name: eventsName(engine, isBusy),
    turn: async () => {
      await quiet();
      return sides.product.ask<Figures>('ingest', { ms, isBusy });
    },
  }));

/** Both implementations must have the same result, or the figures mean nothing. */
const checked = (results: Results, engine: Engine): void => {
  for (const line of linesOf(engine)) {
    const found = (['hand', 'product'] as const).flatMap((side) =>
      series(results, nameOf(engine, line, side), 'found'),
    );
    if (new Set(found).size !== 1 || !found[0])
      throw new VoidRun(`${engine}, ${line.says}: ${[...new Set(found)].join(' and ')} were found`);
  }
};

const cpuRatio = (results: Results, engine: Engine, line: Line): number[] =>
  ratios(
    series(results, nameOf(engine, line, 'product'), 'cpuUs'),
    series(results, nameOf(engine, line, 'hand'), 'cpuUs'),
  );
const p99Ratio = (results: Results, engine: Engine): number[] =>
  ratios(series(results, eventsName(engine, true), 'p99Ms'), series(results, eventsName(engine, false), 'p99Ms'));

/** All turns of one database; queries with diverging rounds run again, with twice the rounds. */
const measure = async (open: Open, { options, quiet, say }: Setting): Promise<Results> => {
  const size = options.isQuick ? 'quick' : 'full';
  const { engine } = open;
  const racersOf = lineRacers(open, size);
  const lines = linesOf(engine);
  const racers = [...lines.flatMap(racersOf), ...eventRacers(open, EVENTS_MS[size], quiet)];
  for (const racer of racers) await racer.turn();
  const results = await takeTurns(racers, options.rounds);
  const shaky = lines.filter((line) => line.gate && isUnstable(cpuRatio(results, engine, line)));
  if (!options.isFull || shaky.length === 0) return results;
  say(`audience: measuring again, with double rounds: ${shaky.map(({ says }) => says).join(', ')}`);
  return new Map([...results, ...(await takeTurns(shaky.flatMap(racersOf), 2 * options.rounds))]);
};

const HEAD = ['audiences', 'cpu ms', 'ratio', 'wall ms', 'found', 'event p99 ms', 'ratio', 'of all', 'previews'];

const NO_EVENTS = ['-', '-', '-', '-'];

const rowsOf = (results: Results, engine: Engine): string[][] => {
  const middle = (name: string, of: string): string => figure(median(series(results, name, of)));
  return [
    ...linesOf(engine).flatMap((line) =>
      (['hand', 'product'] as const).map((side) => {
        const name = nameOf(engine, line, side);
        const ratio = side === 'hand' ? [1] : cpuRatio(results, engine, line);
        const cpuMs = figure(median(series(results, name, 'cpuUs')) / 1_000);
        const label = isUnstable(ratio) ? `${name} UNSTABLE` : name;
        return [label, cpuMs, figure(median(ratio)), middle(name, 'wallMs'), middle(name, 'found'), ...NO_EVENTS];
      }),
    ),
    ...[false, true].map((isBusy) => {
      const name = eventsName(engine, isBusy);
      const ratio = isBusy ? figure(median(p99Ratio(results, engine))) : '1.00';
      return [
        name,
        '-',
        '-',
        '-',
        '-',
        middle(name, 'p99Ms'),
        ratio,
        middle(name, 'allP99Ms'),
        middle(name, 'previews'),
      ];
    }),
  ];
};

const gatesOf = (results: Results, engine: Engine): Gate[] => [
  ...linesOf(engine).flatMap((line) => {
    if (!line.gate) return [];
    const { id, limit, stretch } = line.gate;
    const says = `${line.says}, of the same by hand over the same stored form: CPU`;
    return [ratioGate(`${id}.${engine}`, says, cpuRatio(results, engine, line), 'at most', limit, stretch)];
  }),
  ratioGate(
    `G23.${engine}`,
    'p99 of events beside previews, of the same alone',
    p99Ratio(results, engine),
    'at most',
    2,
    1.5,
  ),
];

/** Creates the users once, and gives each side its own database: by hand the first one, the product a copy. */
const openSides = async (engine: Engine, { options, postgres, say }: Setting): Promise<Open> => {
  const people = peopleOf(options);
  const server = engine === 'postgres' && typeof postgres !== 'string' ? postgres : null;
  const sides = { hand: startContender('audience'), product: startContender('audience') };
  try {
    say(`audience: ${engine}, making ${people} profiles`);
    const file = join(places.work, 'audience.db');
    const url = server ? await server.create('bench_audience') : `sqlite:${file}`;
    const order: Make = { root: places.root, url, people, audiences: AUDIENCES };
    const fixture = await sides.hand.ask<Fixture>('make', order);
    await server?.analyze(url);
    const copy = server ? await server.create('bench_audience_copy', 'bench_audience') : `sqlite:${file}.copy`;
    if (!server) copyFileSync(file, `${file}.copy`);
    await server?.analyze(copy);
    await sides.hand.ask('start', { root: null, url, people, fixture } satisfies Start);
    await sides.product.ask('start', { root: places.root, url: copy, people, fixture } satisfies Start);
    return { engine, server, sides };
  } catch (error) {
    await Promise.all(Object.values(sides).map((side) => side.stop()));
    throw error;
  }
};

/** Time of the product for many segments at once. */
const buildMany = async ({ options, say }: Setting): Promise<string> => {
  const size = options.isQuick ? 'quick' : 'full';
  const [people, limitMs] = [BUILT_OF[size], BUILD_MS[size]];
  const contender = startContender('audience');
  try {
    say(`audience: building ${BUILT} of ${people} profiles`);
    const url = `sqlite:${join(places.work, 'audience-build.db')}`;
    const fixture = await contender.ask<Fixture>('make', { root: places.root, url, people, audiences: 0 });
    const order = { root: places.root, url, people, fixture, count: BUILT, limitMs };
    const { audiences, wallMs, cpuUs } = await contender.ask<Built>('build', order);
    const took = `${figure(wallMs / 1_000)} s, ${figure(cpuUs / 1e6)} s of CPU`;
    return `built by the worker on sqlite, of ${people.toLocaleString('en-US')} profiles: ${audiences} of ${BUILT} audiences in ${took}; it is stopped after ${limitMs / 1_000} s`;
  } finally {
    await contender.stop();
  }
};

const NOTES = [
  'profiles, audiences and members are made by SQL, once per database; by hand: prepared statements of the driver over the same rows; both have to find the same number, or the run is void; CPU is that of the process and of its database server',
  'a predicate that nobody stored is asked by a preview, which also answers up to 20 of those whom it found; by hand it is one count',
  'events: 400 a second through the library, each from when it was due until it was on disk, beside one preview after the other; p99 as the median of those of each second, and of all events at once',
];

/** CPU of segment queries, and the delay of events beside them. Gates: G9, G10, G23. */
export const audience: Bench = async (setting) => {
  const { options, postgres } = setting;
  const all = new Map<string, readonly Figures[]>();
  const table: string[][] = [HEAD];
  const gates: Gate[] = [];
  const engines: readonly Engine[] = typeof postgres === 'string' ? ['sqlite'] : ['sqlite', 'postgres'];
  for (const engine of engines) {
    const open = await openSides(engine, setting);
    try {
      const results = await measure(open, setting);
      checked(results, engine);
      for (const [name, turns] of results) all.set(name, turns);
      table.push(...rowsOf(results, engine));
      gates.push(...gatesOf(results, engine));
    } finally {
      await Promise.all(Object.values(open.sides).map((side) => side.stop()));
    }
  }
  return {
    name: 'audience',
    about: `rounds ${options.rounds} x ${peopleOf(options).toLocaleString('en-US')} profiles   median of the rounds`,
    table,
    notes: [...NOTES, await buildMany(setting)],
    skips: typeof postgres === 'string' ? [`postgres: ${postgres}`] : [],
    gates,
    results: all,
  };
};
