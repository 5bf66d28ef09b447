// Takes rules out of the code one by one, each in a run of its own beside the nearest tests, and says which of them no
// test noticed. npm run mutants -- ROOM [ROOM...], each with the rooms within it, or -- --changed [BASE], or all rooms
// that have a list.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../packages/core/test/mutant.ts';
import { appliedOf, listOf, roomsWithList } from './mutant-lists.ts';
import { type AppliedMutant, MUTANT_VARIABLE } from './mutant-plugin.ts';
import {
  type Fate,
  folderOf,
  isWithin,
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

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const options = parseMutantArguments(process.argv.slice(2));
const endsAt = performance.now() + options.minutes * 60_000;

type Run = 'passed' | 'failed' | 'out of time';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill();
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
    { env: { ...env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
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

const scoreRoom = async (room: string): Promise<readonly Verdict[]> => {
  const mutants = await listOf(room);
  const applied = mutants.map((mutant) => appliedOf(room, mutant));
  const testsOf = ({ tests = [`${folderOf(room)}/`] }: Mutant): readonly string[] => tests;
  const all = [...new Set(mutants.flatMap(testsOf))];
  const fates = mutants.map((): Fate => 'not run');
  const start = performance.now();
  if (start < endsAt) {
    const { run, output } = await runTests(all, MAX_RUN_MS);
    if (run !== 'passed') throw new Error(`${room}: without any mutant the tests end as ${run}\n${output}`);
  }
  const maxMs = SPARE_MS + SLOWER * (performance.now() - start);

  const waiting = [...mutants.entries()];
  const work = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const next = waiting.shift();
      if (!next) return;
      const [at, mutant] = next;
      const tried = await runTests(testsOf(mutant), maxMs, applied[at]);
      // Tests that no longer come to an end have noticed, too.
      fates[at] = tried.run === 'passed' ? 'survived' : 'killed';
    }
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  return mutants.map(({ says }, at) => ({ says, fate: fates[at] ?? 'not run' }));
};

const git = (...args: string[]): string | null => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};

/** Where this branch left what has landed; on what has landed itself, the commit before. */
const defaultBase = (): string => {
  const left = git('merge-base', 'HEAD', 'origin/HEAD');
  return left === null || left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left;
};

/** Paths that differ from a commit; null where git does not know it. */
const changedSince = (base: string): string[] | null =>
  git('diff', '--name-only', base, '--')?.split('\n').filter(Boolean) ?? null;

const roomsToScore = (): string[] => {
  const all = roomsWithList();
  if (!options.isChanged) {
    const unknown = options.rooms.filter((asked) => !all.some((room) => isWithin(room, asked)));
    if (unknown.length > 0)
      throw new Error(`no list of mutants for ${unknown.join(', ')}; there are: ${all.join(', ')}`);
    return options.rooms.length > 0 ? all.filter((room) => options.rooms.some((asked) => isWithin(room, asked))) : all;
  }
  const paths = changedSince(options.base ?? defaultBase());
  if (paths === null && options.base !== undefined) throw new Error(`git knows no ${options.base}`);
  return paths === null ? all : touchedRooms(paths, all);
};

const rooms = roomsToScore();
if (rooms.length === 0) console.log('no room with a list of mutants was touched');
for (const room of rooms) {
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
