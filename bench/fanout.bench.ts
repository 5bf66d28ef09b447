// A push to a segment until all of its messages are rows, against the same rows by INSERT ... SELECT on the driver.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Done, Make, Side, Start } from './contenders/fanout.ts';
import type { Bench } from './lib/bench.ts';
import { type Contender, startContender } from './lib/contender.ts';
import { type Gate, ratioGate } from './lib/gates.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Figures, type Racer, type Results, series, takeTurns } from './lib/rounds.ts';
import { isUnstable, median, ratios, type Tail } from './lib/statistics.ts';

/** Members of the segment. Chosen: more take as long each, and the run is limited. */
const PEOPLE = { quick: 20_000, full: 200_000 };
/** How long events arrive alone, in milliseconds. Chosen: a median of as many seconds. */
const IDLE_MS = { quick: 500, full: 6_000 };
const SIDES: readonly Side[] = ['raw', 'plain', 'product'];
const SAYS: Readonly<Record<Side, string>> = {
  raw: 'INSERT ... SELECT by hand',
  plain: 'the same without making ids',
  product: 'beckon',
};

type Engine = 'sqlite' | 'postgres';
const nameOf = (engine: Engine, side: Side, isBusy = false): string =>
  `${engine}: ${SAYS[side]}${isBusy ? ', events beside it' : ''}`;

type Given = { readonly people: number; readonly idleMs: number; quiet(): Promise<void>; cpuUs(): number };
const racersOf = (
  engine: Engine,
  contenders: Readonly<Record<Side, Contender>>,
  { people, idleMs, quiet, cpuUs }: Given,
): Racer[] => {
  const turn = async (side: Side, isBusy: boolean): Promise<Figures> => {
    const none: Tail = { p99: Number.NaN, ofAll: Number.NaN };
    await contenders[side].ask('settle');
    if (isBusy) await quiet();
    const idle = isBusy ? await contenders[side].ask<Tail>('idle', { ms: idleMs }) : none;
    const before = cpuUs();
    const done = await contenders[side].ask<Done>('run', { isBusy });
    const server = cpuUs() - before;
    const rate = (people / done.wallMs) * 1_000;
    return {
      ...done,
      rate,
      cpuUs: (done.cpuUs + (Number.isNaN(server) ? 0 : server)) / people,
      idleP99Ms: idle.p99,
      idleAllP99Ms: idle.ofAll,
    };
  };
  return [
    ...SIDES.map((side) => ({ name: nameOf(engine, side), turn: () => turn(side, false) })),
    { name: nameOf(engine, 'product', true), turn: () => turn('product', true) },
  ];
};

const HEAD = [
  'expansion',
  'rows/s',
  'ratio',
  'cpu us',
  'longest part ms',
  'first ms',
  'event p99 ms',
  'alone',
  'of all',
  'alone',
];

const rowsOf = (results: Results, engine: Engine): string[][] =>
  [...results.keys()].map((name) => {
    const ratio = ratios(series(results, name, 'rate'), series(results, nameOf(engine, 'raw'), 'rate'));
    const middle = (of: string): string => figure(median(series(results, name, of)));
    return [
      isUnstable(ratio) ? `${name} UNSTABLE` : name,
      ...[middle('rate'), figure(median(ratio)), middle('cpuUs'), middle('longestMs'), middle('firstMs')],
      ...[middle('eventP99Ms'), middle('idleP99Ms'), middle('allP99Ms'), middle('idleAllP99Ms')],
    ];
  });

const gatesOf = (results: Results, engine: Engine): Gate[] => {
  const of = (name: string, what: string): number[] => series(results, name, what);
  const busy = nameOf(engine, 'product', true);
  const rate = ratios(of(nameOf(engine, 'product'), 'rate'), of(nameOf(engine, 'raw'), 'rate'));
  const p99 = ratios(of(busy, 'eventP99Ms'), of(busy, 'idleP99Ms'));
  return [
    ratioGate(
      `G12.${engine}`,
      'messages of a send to an audience, of INSERT ... SELECT: rows/s',
      rate,
      'at least',
      0.7,
      0.85,
    ),
    ratioGate(`G13.${engine}`, 'p99 of events meanwhile, of the same alone', p99, 'at most', 2, 1.3),
  ];
};

const NOTES = [
  'the audience: its members have one device each; from the acceptance of the push until every message is on disk (synchronous=FULL, postgres: synchronous_commit=on), counted in the database: by hand with each part, by the product with the last one, since a part of its may be lost and is then made again; nothing is sent, so the expansion waits for nobody',
  'by hand: parts of 5,000 rows with ids of the same form; without making ids each message has the id of its token',
  'events beside it: 400 a second through the same queue of commits, each from when it was due until it was on disk; p99 as the median of those of each second, and of all events at once',
];

/** Rows per second of segment sends, and the delay of other work beside them. Gates: G12, G13. */
export const fanout: Bench = async ({ options, postgres, quiet, say }) => {
  const { rounds, isQuick } = options;
  const size = isQuick ? 'quick' : 'full';
  const { people = PEOPLE[size] } = options;
  const idleMs = IDLE_MS[size];
  const all = new Map<string, readonly Figures[]>();
  const table: string[][] = [HEAD];
  const gates: Gate[] = [];
  const engines: readonly Engine[] = typeof postgres === 'string' ? ['sqlite'] : ['sqlite', 'postgres'];
  for (const engine of engines) {
    say(`fanout: ${engine}, ${people} members`);
    const contenders = {
      raw: startContender('fanout'),
      plain: startContender('fanout'),
      product: startContender('fanout'),
    };
    try {
      const server = engine === 'postgres' && typeof postgres !== 'string' ? postgres : null;
      const file = join(places.work, 'fanout.db');
      const whole = server ? await server.create('bench_fanout') : `sqlite:${file}`;
      await contenders.raw.ask('make', { url: whole, people } satisfies Make);
      for (const side of SIDES) {
        const url = server ? await server.create(`bench_fanout_${side}`, 'bench_fanout') : `sqlite:${file}.${side}`;
        if (!server) copyFileSync(file, `${file}.${side}`);
        await server?.analyze(url);
        await contenders[side].ask('start', { side, url, people } satisfies Start);
      }
      const cpuUs = (): number =>
        engine === 'postgres' && typeof postgres !== 'string' ? postgres.cpuUs() : Number.NaN;
      const racers = racersOf(engine, contenders, { people, idleMs, quiet, cpuUs });
      // The last one runs in a process that is warm by then, and takes many times as long.
      for (const racer of racers.slice(0, SIDES.length)) await racer.turn();
      const results = await takeTurns(racers, rounds);
      for (const [name, turns] of results) all.set(name, turns);
      table.push(...rowsOf(results, engine));
      gates.push(...gatesOf(results, engine));
    } finally {
      await Promise.all(Object.values(contenders).map((contender) => contender.stop()));
    }
  }
  return {
    name: 'fanout',
    about: `rounds ${rounds} x ${people} messages   median of the rounds`,
    table,
    notes: NOTES,
    skips: typeof postgres === 'string' ? [`postgres: ${postgres}`] : [],
    gates,
    results: all,
  };
};
