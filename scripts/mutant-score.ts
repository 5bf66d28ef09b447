import { dirname } from 'node:path/posix';
import type { TestCoverage } from './mutant-coverage.ts';

/** The result of a mutant. `not executed`: no test runs the place. */
export type Fate = 'killed' | 'survived' | 'not executed';
export type Verdict = { readonly says: string; readonly fate: Fate };

/** The vitest project of a test file. PostgreSQL only if a test is about PostgreSQL alone. */
export const projectOf = (test: string): string => {
  if (test.endsWith('.postgres.test.ts')) return 'contract-postgres';
  return test.endsWith('.db.test.ts') ? 'contract-sqlite' : 'unit';
};

/**
 * `core/messaging/caps` for packages/core/src/messaging/caps/x.ts: in core a group and its module, else the package.
 */
const moduleOf = (path: string): string => {
  const [, core, name = 'invariants'] = /^packages\/(core)\/src\/([^/]+(?:\/[^/]+)?)\//.exec(path) ?? [];
  return core ? `core/${name}` : (/^packages\/([^/]+)/.exec(path)?.[1] ?? 'invariants');
};

/**
 * The files of the modules: `caps`, `events/people`, `http` or a path. All files for no module. Throws for a name that
 * no file matches.
 */
export const inModules = (files: readonly string[], modules: readonly string[]): string[] => {
  const isIn = (file: string, module: string): boolean =>
    [module, `packages/${module}`, `packages/core/src/${module}`].some((path) => `${file}/`.startsWith(`${path}/`)) ||
    moduleOf(file).endsWith(`/${module}`);
  const unknown = modules.find((module) => !files.some((file) => isIn(file, module)));
  if (unknown !== undefined) throw new Error(`no file of production is in ${unknown}`);
  return files.filter((file) => modules.length === 0 || modules.some((module) => isIn(file, module)));
};

/** Number of folders that two paths share from the left. */
const sharedFolders = (a: string, b: string): number => {
  const [left, right] = [dirname(a).split('/'), dirname(b).split('/')];
  const differs = left.findIndex((name, at) => name !== right[at]);
  return differs < 0 ? left.length : differs;
};

/**
 * Test files that run first, and those that run if the first ones notice nothing. Chosen: five seconds, and another
 * twenty.
 */
const NEAR = { files: 4, ms: 5_000 };
const FAR = { files: 12, ms: 20_000 };

const upTo = (tests: readonly TestCoverage[], { files, ms }: typeof NEAR): TestCoverage[] => {
  let sum = 0;
  return tests.slice(0, files).filter((test, at) => {
    sum += test.ms;
    return at === 0 || sum <= ms;
  });
};

/**
 * The nearest tests that execute a function, by folder, quick ones first; for a place outside functions, of those that
 * execute any function of the file.
 */
export const nearestTests = (
  coverage: readonly TestCoverage[],
  path: string,
  within: number | null,
): { readonly near: readonly TestCoverage[]; readonly far: readonly TestCoverage[] } => {
  const id = `${path}#${within ?? ''}`;
  const executes = ({ functions }: TestCoverage): boolean =>
    functions.some((one) => (within === null ? one.startsWith(id) : one === id));
  const all = coverage
    .filter(executes)
    .toSorted((a, b) => sharedFolders(b.test, path) - sharedFolders(a.test, path) || a.ms - b.ms);
  const near = upTo(all, NEAR);
  return {
    near,
    far: upTo(
      all.filter((test) => !near.includes(test)),
      FAR,
    ),
  };
};

/** The same order for the same seed. Source: Fisher and Yates; mulberry32, public domain. */
export const shuffled = <T>(items: readonly T[], seed: number): T[] => {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
};

/** Killed in percent, rounded down so that a goal is not met by rounding; 100 if none ran. */
export const percentOf = (verdicts: readonly Verdict[]): number => {
  const killed = verdicts.filter(({ fate }) => fate === 'killed').length;
  return verdicts.length === 0 ? 100 : Math.floor((100 * killed) / verdicts.length);
};

const scoreOf = (name: string, verdicts: readonly Verdict[]): string => {
  const killed = verdicts.filter(({ fate }) => fate === 'killed').length;
  return `${name}: ${killed} of ${verdicts.length} killed, ${percentOf(verdicts)} %`;
};

/** The score of each module, of all, and then each mutant that no test noticed. */
export const scoreLines = (verdicts: readonly Verdict[], goal: number): string[] => {
  const byModule = Map.groupBy(verdicts, ({ says }) => moduleOf(says));
  const left = verdicts.filter(({ fate }) => fate !== 'killed');
  return [
    ...[...byModule].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => scoreOf(name, of)),
    ...left.toSorted((a, b) => (a.says < b.says ? -1 : 1)).map(({ says, fate }) => `  ${fate}: ${says}`),
    `${scoreOf('all', verdicts)} (goal ${goal} %)`,
  ];
};
