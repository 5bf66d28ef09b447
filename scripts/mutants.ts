// Changes the code in one small place at a time, runs the nearest tests that execute the place, and prints how many
// changes they notice. `npm run campaign -- mutants [MODULE...]` runs it. Without a MODULE it takes a sample of the
// whole repository.
//
//   node scripts/mutants.ts [MODULE...] [--changed [BASE]] [--minutes N] [--most N]     changes made by scripts/mutations.ts
//   node scripts/mutants.ts --invariants [--most N]      the changes that packages/core/test/invariants/mutations.ts lists
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { INVARIANTS } from '../packages/core/test/invariants/mutations.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { baseCommit, changedFiles, movingSeed } from './moving-seed.ts';
import type { TestCoverage } from './mutant-coverage.ts';
import { type AppliedMutant, COVERAGE_VARIABLE, isProductionFile, MUTANT_VARIABLE } from './mutant-plugin.ts';
import { type Fate, inModules, nearestTests, projectOf, scoreLines, shuffled, type Verdict } from './mutant-score.ts';
import { type Mutation, mutated, mutationsOf } from './mutations.ts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Concurrent runs; each takes about one core. */
const JOBS = 2;
/** Factor by which a run with a mutant may take longer than the tests alone: the other run, and a start. */
const SLOWER = 4;
const SPARE_MS = 30_000;
/** Percentage of the mutants that the tests should kill; printed beside the score. Invariants need all of them. */
const GOAL = 85;

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { values, positionals: modules } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean' },
    base: { type: 'string' },
    invariants: { type: 'boolean' },
    minutes: { type: 'string' },
    most: { type: 'string' },
  },
});
const start = performance.now();
const endsAt = start + Number(values.minutes ?? 55) * 60_000;
const most = Number(values.most ?? Number.POSITIVE_INFINITY);
if (!(endsAt > 0 && most >= 1)) throw new Error('--minutes and --most need numbers above 0');

const running = new Set<ChildProcess>();
/** Ends vitest and its workers, which have their own process group: nothing else ends a worker that a mutant hangs. */
const endAll = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
};
process.once('exit', () => {
  for (const child of running) endAll(child);
});

type Run = 'passed' | 'failed' | 'out of time';

const runTests = (
  args: readonly string[],
  maxMs: number,
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly run: Run; readonly output: string }> => {
  const { BECKON_TEST_COUNTS: _, ...given } = process.env;
  // A few years of the simulator: more are not needed to notice a mutant.
  const env = { ...given, BECKON_SIMULATOR_SEEDS: '10', NO_COLOR: '1', ...variables };
  const child = spawn(process.execPath, [vitest, 'run', '--reporter', 'dot', ...args], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
      if (isLate) resolve({ run: 'out of time', output });
      else if (code === 0) resolve({ run: 'passed', output });
      // A run that failed without a failed test says nothing about the tests.
      else if (/^\s*Test Files .*\bfailed\b/m.test(output)) resolve({ run: 'failed', output });
      else reject(new Error(`vitest ended with ${code}\n${output}`));
    });
  });
};

/** True if one of the tests fails, or no longer ends. */
const areNoticed = async (tests: readonly string[], aloneMs: number, mutant: AppliedMutant): Promise<boolean> => {
  const projects = [...new Set(tests.map(projectOf))].flatMap((name) => ['--project', name]);
  const args = [...projects, '--bail', '1', '--maxWorkers', '1', ...tests];
  const variables = { [MUTANT_VARIABLE]: JSON.stringify(mutant), BECKON_TEST_PATIENCE_MS: '20000' };
  const { run } = await runTests(args, SPARE_MS + SLOWER * aloneMs, variables);
  return run !== 'passed';
};

type Candidate = { readonly path: string; readonly mutant: Mutation; readonly says: string };

const lineAt = (text: string, at: number): string => {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  const to = text.indexOf('\n', at);
  return text.slice(from, to < 0 ? undefined : to).trim();
};

/** The mutants of one file without those that are marked as equivalent. */
const candidatesOf = (path: string): Candidate[] => {
  const text = readFileSync(path, 'utf8');
  return mutationsOf(path, text).flatMap((mutant) => {
    const line = lineAt(text, mutant.start);
    const becomes = lineAt(mutated(text, mutant), mutant.start);
    if (EQUIVALENT.some((one) => one.path === path && one.line === line && one.becomes === becomes)) return [];
    return [{ path, mutant, says: `${path}:${mutant.line} ${mutant.kind}: ${line}  ->  ${becomes}` }];
  });
};

/** Runs the tests of the packages once and returns which functions each test file executes. */
const coverageOf = async (packages: readonly string[]): Promise<readonly TestCoverage[]> => {
  const file = join(mkdtempSync(join(tmpdir(), 'beckon-mutants-')), 'coverage.jsonl');
  const paths = packages.map((name) => `packages/${name}/src/`);
  const args = ['--project', 'unit', '--project', 'contract-sqlite', ...paths];
  const { run, output } = await runTests(args, endsAt - performance.now(), { [COVERAGE_VARIABLE]: file });
  if (run !== 'passed') throw new Error(`without any mutant the tests end as ${run}\n${output}`);
  // Safe: only scripts/mutant-coverage.ts writes the lines.
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TestCoverage);
};

/** Tries all of them, until the time is over. */
const tryAll = async <T>(items: readonly T[], says: (item: T) => string, attempt: (item: T) => Promise<Fate>) => {
  const verdicts: Verdict[] = [];
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && performance.now() < endsAt; item = waiting.shift())
      verdicts.push({ says: says(item), fate: await attempt(item) });
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  return verdicts;
};

const sampled = async (): Promise<void> => {
  const changed = values.changed ? changedFiles(values.base ?? baseCommit()) : null;
  const files = globSync('packages/*/src/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => isProductionFile(path) && (changed === null || changed.includes(path)))
    .toSorted();
  const chosen = inModules(files, modules);
  const candidates = shuffled(chosen.flatMap(candidatesOf), movingSeed()).slice(0, most);
  const packages = [...new Set(chosen.map((path) => path.split('/')[1] ?? ''))];
  console.log(`${chosen.length} files, ${candidates.length} mutants`);
  if (candidates.length === 0) return;
  const coverage = await coverageOf(packages);
  const verdicts = await tryAll(
    candidates,
    ({ says }) => says,
    async ({ path, mutant }) => {
      const { near, far } = nearestTests(coverage, path, mutant.within);
      if (near.length === 0) return 'not executed';
      for (const tests of [near, far]) {
        const names = tests.map(({ test }) => test);
        const aloneMs = tests.reduce((sum, { ms }) => sum + ms, 0);
        if (names.length > 0 && (await areNoticed(names, aloneMs, { path, ...mutant }))) return 'killed';
      }
      return 'survived';
    },
  );
  console.log(scoreLines(verdicts, GOAL).join('\n'));
};

/** The invariants of changed files first. */
const invariants = async (): Promise<void> => {
  const changed = changedFiles(values.base ?? baseCommit()) ?? [];
  const order = shuffled(INVARIANTS, movingSeed()).toSorted(
    (a, b) => Number(changed.includes(b.path)) - Number(changed.includes(a.path)),
  );
  const verdicts = await tryAll(
    order.slice(0, most),
    ({ says }) => says,
    async ({ path, find, replace, tests }) => {
      const at = readFileSync(path, 'utf8').indexOf(find);
      const missing = tests.find((test) => !existsSync(test));
      if (at < 0 || missing !== undefined) throw new Error(`${path}: ${missing ?? find} is not there`);
      const mutant = { path, start: at, end: at + find.length, replacement: replace };
      return (await areNoticed(tests, SPARE_MS, mutant)) ? 'killed' : 'survived';
    },
  );
  console.log(scoreLines(verdicts, 100).join('\n'));
  if (verdicts.some(({ fate }) => fate !== 'killed')) process.exitCode = 1;
};

await (values.invariants ? invariants() : sampled());
