// Takes rules out of the code one by one, runs the nearest tests on each, and says which of them no test noticed.
// `npm run campaign -- mutants [MODULE...]` runs it. Arguments: modules, or --changed [BASE]; --most N takes the N mutants
// nearest to the changed lines, without first running the tests of the unchanged code.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../packages/core/test/mutant.ts';
import { baseCommit, changedFiles } from './moving-seed.ts';
import { appliedOf, listOf, modulesWithMutants, roomsWithList } from './mutant-lists.ts';
import { type AppliedMutant, MUTANT_VARIABLE } from './mutant-plugin.ts';
import {
  changedLines,
  distanceTo,
  type Fate,
  folderOf,
  MIN_PERCENT,
  parseMutantArguments,
  percentOf,
  projectsOf,
  scoreOf,
  touchedRooms,
  type Verdict,
} from './mutant-score.ts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Runs side by side; each takes about one core. */
const JOBS = 2;
/** Tests without a mutant may take so long; with one, a few times what they took without. */
const MAX_RUN_MS = 600_000;
const SPARE_MS = 30_000;
const SLOWER = 4;
/** Longest run of one sampled mutant. */
const MAX_SAMPLED_MS = 120_000;

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const options = parseMutantArguments(process.argv.slice(2));
const endsAt = performance.now() + options.minutes * 60_000;

type Run = 'passed' | 'failed' | 'out of time';

const running = new Set<ChildProcess>();
/** Ends vitest and its workers, which have a process group of their own: a worker that a mutant hangs ends by nothing else. */
const endAll = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
};
process.once('exit', () => {
  for (const child of running) endAll(child);
});

/** Runs tests, with a mutant in the code if one is given. */
const runTests = (
  tests: readonly string[],
  maxMs: number,
  mutant?: AppliedMutant,
): Promise<{ run: Run; output: string }> => {
  const { BECKON_TEST_COUNTS: _, ...given } = process.env;
  // A few years of the simulator: what it alone would notice needs no more, and every mutant of runs takes it along.
  const env: NodeJS.ProcessEnv = { ...given, BECKON_SIMULATOR_SEEDS: '10', BECKON_TEST_PATIENCE_MS: '20000' };
  if (mutant) env[MUTANT_VARIABLE] = JSON.stringify(mutant);
  const projects = projectsOf(tests).flatMap((name) => ['--project', name]);
  const child = spawn(
    process.execPath,
    [vitest, 'run', ...projects, '--bail', '1', '--maxWorkers', '1', '--reporter', 'dot', ...tests],
    { detached: true, env: { ...env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endAll(child);
    }, maxMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      // A run that failed without a failed test says nothing about the tests.
      if (isLate) resolve({ run: 'out of time', output });
      else if (code === 0) resolve({ run: 'passed', output });
      else if (/^\s*Test Files .*\bfailed\b/m.test(output)) resolve({ run: 'failed', output });
      else reject(new Error(`vitest ended with ${code}\n${output}`));
    });
  });
};

const testsOf = (room: string, { tests = [`${folderOf(room)}/`] }: Mutant): readonly string[] => tests;

type Chosen = { readonly room: string; readonly mutant: Mutant };

/** Tries each mutant; those that the time did not suffice for are `not run`. */
const tryMutants = async (chosen: readonly Chosen[], maxMs: number): Promise<readonly Verdict[]> => {
  const applied = chosen.map(({ room, mutant }) => appliedOf(room, mutant));
  const fates = chosen.map((): Fate => 'not run');
  const waiting = [...chosen.entries()];
  const work = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const next = waiting.shift();
      if (!next) return;
      const [at, { room, mutant }] = next;
      const tried = await runTests(testsOf(room, mutant), maxMs, applied[at]);
      // Tests that no longer come to an end have noticed, too.
      fates[at] = tried.run === 'passed' ? 'survived' : 'killed';
    }
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  return chosen.map(({ mutant }, at) => ({ says: mutant.says, fate: fates[at] ?? 'not run' }));
};

const scoreRoom = async (room: string): Promise<readonly Verdict[]> => {
  const mutants = await listOf(room);
  const all = [...new Set(mutants.flatMap((mutant) => testsOf(room, mutant)))];
  const start = performance.now();
  if (start < endsAt) {
    const { run, output } = await runTests(all, MAX_RUN_MS);
    if (run !== 'passed') throw new Error(`${room}: without any mutant the tests end as ${run}\n${output}`);
  }
  return tryMutants(
    mutants.map((mutant) => ({ room, mutant })),
    SPARE_MS + SLOWER * (performance.now() - start),
  );
};

const base = options.base ?? baseCommit();

const roomsToScore = (): string[] => {
  if (options.isExact) return roomsWithList().filter((room) => options.rooms.includes(room));
  if (!options.isChanged) return modulesWithMutants(options.rooms);
  const paths = changedFiles(base);
  if (paths === null && options.base !== undefined) throw new Error(`git knows no ${options.base}`);
  return paths === null ? roomsWithList() : touchedRooms(paths, roomsWithList());
};

/** The mutants nearest to the changed lines, those of unchanged files last. */
const nearestMutants = async (rooms: readonly string[], most: number): Promise<readonly Chosen[]> => {
  const lines = new Map<string, readonly number[]>();
  const changedLinesOf = (path: string): readonly number[] => {
    const known = lines.get(path);
    if (known) return known;
    const { stdout } = spawnSync('git', ['diff', '-U0', base, '--', path], { encoding: 'utf8' });
    const found = changedLines(stdout ?? '');
    lines.set(path, found);
    return found;
  };
  const all = await Promise.all(
    rooms.map(async (room) =>
      (await listOf(room)).map((mutant) => {
        const path = `${folderOf(room)}/${mutant.file}`;
        const distance = distanceTo(readFileSync(path, 'utf8'), mutant.find, changedLinesOf(path));
        return { room, mutant, distance };
      }),
    ),
  );
  return all
    .flat()
    .toSorted((a, b) => (a.distance === b.distance ? 0 : a.distance - b.distance))
    .slice(0, most);
};

const rooms = roomsToScore();
if (rooms.length === 0) console.log('no room with a list of mutants was touched');
if (options.most !== undefined) {
  const verdicts = await tryMutants(await nearestMutants(rooms, options.most), MAX_SAMPLED_MS);
  console.log(scoreOf('nearest to the change', verdicts));
  if (percentOf(verdicts) < MIN_PERCENT) process.exitCode = 1;
}
for (const room of options.most === undefined ? rooms : []) {
  const start = performance.now();
  try {
    const verdicts = await scoreRoom(room);
    console.log(`${scoreOf(room, verdicts)} (${Math.round((performance.now() - start) / 1000)} s)`);
    if (percentOf(verdicts) < MIN_PERCENT) process.exitCode = 1;
  } catch (error) {
    // The rooms behind it have a score of their own.
    console.log(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
