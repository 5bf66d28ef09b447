// What a request passes through: files, functions, stack frames, turns of the event loop and queues of seven paths,
// on SQLite in memory. `npm run paths` prints the table; a change that lengthens a path shows there.
//
//   files, functions  V8's precise coverage of one request, behind `WARM_UP` others that load modules and fill caches
//   frames            the deepest stack of production code at calls of the built-ins in `PROBES`, which nearly every
//                     function makes; `at async` frames count, as an editor's "go to definition" follows them
//   turns             `setImmediate` calls of production code: network waits and timers are not counted
//   queues            queues in memory (`QUEUES`) that the request passed, and job queues in which it became a job
//
// A path that the worker ends includes one drain of the worker, which looks at every job queue.
import { createHook } from 'node:async_hooks';
import { Session } from 'node:inspector/promises';
import { openPaths, type Path } from './request-paths.ts';

/** A function that ran, as V8 reports it, with its position in the script. */
export type CoveredFunction = {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
};
export type CoveredScript = { readonly url: string; readonly functions: readonly CoveredFunction[] };

export type Figures = {
  readonly files: number;
  readonly functions: number;
  readonly frames: number;
  readonly turns: number;
  readonly queues: readonly string[];
};

/** In-memory queues: a function that runs only for an item of the queue. Maintained by hand. */
export const QUEUES: readonly { readonly name: string; readonly file: string; readonly called: string }[] = [
  { name: 'batcher', file: 'jobs/concurrency/batcher.ts', called: 'enqueue' },
  { name: 'commit queue', file: 'database/sqlite/group.ts', called: 'enqueue' },
  { name: 'connection mutex', file: 'database/sqlite/mutex.ts', called: 'enqueue' },
];
/** The function of every job queue that runs for claimed jobs. */
const PROCESS = 'process';

const WARM_UP = 3;
const PROBED = 5;
const COVERED = 5;
const CORE = 'packages/core/src/';
const PRODUCTION = /\/packages\/(?:core|http)\/src\/(?!.*\/testing\/).*\.ts/;
const isProduction = (text: string): boolean => PRODUCTION.test(text);

/** Production functions that ran, by file. Top-level code of a module counts as no function. */
export const countCovered = (scripts: readonly CoveredScript[]): Pick<Figures, 'files' | 'functions' | 'queues'> => {
  const called = new Map<string, CoveredFunction[]>();
  for (const { url, functions } of scripts) {
    if (!isProduction(url)) continue;
    const ran = functions.filter(({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0);
    if (ran.length > 0) called.set(url, [...(called.get(url) ?? []), ...ran]);
  }
  const names = [...called].flatMap(([url, functions]) => {
    const [, file = ''] = url.split(CORE);
    return functions.flatMap(({ functionName }) => {
      // A file of jobs/ serves the queues of several modules.
      if (functionName === PROCESS && !file.startsWith('jobs/'))
        return [`jobs of ${file.slice(0, file.lastIndexOf('/'))}`];
      return QUEUES.find((queue) => queue.file === file && queue.called === functionName)?.name ?? [];
    });
  });
  return {
    files: called.size,
    functions: [...called.values()].reduce((sum, { length }) => sum + length, 0),
    queues: [...new Set(names)].sort(),
  };
};

/** Frames of production code in the text of a stack. */
export const countFrames = (stack: string): number => stack.split('\n').filter(isProduction).length;

type Method = (this: unknown, ...args: unknown[]) => unknown;
/** Built-ins whose calls record the stack. */
const PROBES: readonly (readonly [owner: object, name: string])[] = [
  [Map.prototype, 'get'],
  [Map.prototype, 'set'],
  [Map.prototype, 'has'],
  [Set.prototype, 'has'],
  [Array.prototype, 'push'],
  [Array.prototype, 'map'],
  [performance, 'now'],
  [JSON, 'stringify'],
  [JSON, 'parse'],
];

const stackHere = (): string => {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder);
  return holder.stack ?? '';
};

/** Runs a request with probed built-ins; returns the deepest stack, and the turns that production code waited for. */
const probe = async (request: () => Promise<void>): Promise<Pick<Figures, 'frames' | 'turns'>> => {
  const limit = Error.stackTraceLimit;
  const originals = PROBES.map(([owner, name]) => Reflect.get(owner, name) as Method);
  let [frames, turns, isLooking] = [0, 0, false];
  const look = (): void => {
    if (isLooking) return;
    isLooking = true;
    frames = Math.max(frames, countFrames(stackHere()));
    isLooking = false;
  };
  const immediates = createHook({
    init: (_, type) => {
      if (type !== 'Immediate' || isLooking) return;
      isLooking = true;
      if (isProduction(stackHere())) turns += 1;
      isLooking = false;
    },
  });
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  immediates.enable();
  for (const [at, [owner, name]] of PROBES.entries()) {
    const original = originals[at];
    const probed: Method = function (...args) {
      look();
      return original?.apply(this, args);
    };
    Object.defineProperty(owner, name, { value: probed, configurable: true, writable: true });
  }
  try {
    await request();
  } finally {
    for (const [at, [owner, name]] of PROBES.entries())
      Object.defineProperty(owner, name, { value: originals[at], configurable: true, writable: true });
    immediates.disable();
    Error.stackTraceLimit = limit;
  }
  return { frames, turns };
};

/** Measures one path. Throws if a request does not reach its end. */
export const measurePath = async (session: Session, { name, prepare, request, hasEnded }: Path): Promise<Figures> => {
  let nth = 0;
  const run = async <T>(measure: (request: () => Promise<void>) => Promise<T>): Promise<T> => {
    const at = nth++;
    await prepare?.(at);
    const measured = await measure(() => request(at));
    if (!(await hasEnded(at))) throw new Error(`request ${at} of "${name}" did not get to its end`);
    return measured;
  };
  for (let warmed = 0; warmed < WARM_UP; warmed += 1) await run((send) => send());
  const probes: Awaited<ReturnType<typeof probe>>[] = [];
  for (let probed = 0; probed < PROBED; probed += 1) probes.push(await run(probe));
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counts: ReturnType<typeof countCovered>[] = [];
  for (let covered = 0; covered < COVERED; covered += 1) {
    const scripts = await run(async (send) => {
      await session.post('Profiler.takePreciseCoverage');
      await send();
      return (await session.post('Profiler.takePreciseCoverage')).result;
    });
    counts.push(countCovered(scripts));
  }
  await session.post('Profiler.stopPreciseCoverage');
  // The request with the least other work of several: caches expire, and timers fire.
  const [fewest = countCovered([])] = counts.sort((a, b) => a.functions - b.functions);
  const frames = Math.max(...probes.map((one) => one.frames));
  // A busy machine makes the storage yield more often.
  const turns = Math.min(...probes.map((one) => one.turns));
  return { ...fewest, frames, turns };
};

/** The table as text, aligned for a terminal and valid as Markdown. */
export const tableOf = (rows: readonly (readonly [path: string, figures: Figures])[]): string => {
  const cells = [
    ['path', 'files', 'functions', 'frames', 'turns', 'queues'],
    ...rows.map(([path, { files, functions, frames, turns, queues }]) => [
      path,
      ...[files, functions, frames, turns].map(String),
      `${queues.length}: ${queues.join(', ')}`,
    ]),
  ];
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0))) ?? [];
  const line = (row: readonly string[], fill = ' '): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  const [header = [], ...body] = cells;
  const rule = line(
    header.map(() => ''),
    '-',
  );
  return [line(header), rule, ...body.map((row) => line(row))].join('\n');
};

if (import.meta.main) {
  const only = process.argv[2];
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const { paths, close } = await openPaths();
  try {
    const rows: [string, Figures][] = [];
    for (const path of paths)
      if (only === undefined || path.name.includes(only)) rows.push([path.name, await measurePath(session, path)]);
    process.stdout.write(`${tableOf(rows)}\n`);
  } finally {
    await close();
    session.disconnect();
  }
}
