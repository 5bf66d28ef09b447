/*
 * Every check that a change must pass. `.ci/run` starts it in a fresh clone, after the dependencies are installed.
 * Independent steps run two at a time; each runs even if an earlier one failed. CONTRIBUTING.md lists them.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { baseCommit, changedFiles, movingSeed } from './moving-seed.ts';
import { cpuSecondsOf, stepLine, stepRunner } from './steps.ts';

/** Wall seconds after which no step begins. Chosen: below the 90 minutes that a run may take. */
const DEADLINE_SECONDS = 90 * 60 - 180;
/** CPU seconds of a whole run, printed if they are exceeded. Chosen: 15 minutes on two cores with reserve. */
const MAX_CPU_SECONDS = 1_500;

const status = (): string => spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout;
const before = status();

const seed = movingSeed();
const base = baseCommit();
const changed = changedFiles(base);
/** True if a changed file matches, or if git cannot tell what changed. */
const isChanged = (pattern: RegExp): boolean => changed === null || changed.some((file) => pattern.test(file));

const installed = {
  seconds: Number(process.env['CI_INSTALL_WALL'] ?? 0),
  cpu: cpuSecondsOf(process.env['CI_INSTALL_TIMES'] ?? ''),
};
const runner = stepRunner({ deadlineSeconds: DEADLINE_SECONDS - installed.seconds });
const { step, logs, failed } = runner;
console.log(stepLine('ok', 'install', installed.seconds, installed.cpu));
console.log(`seed ${seed}, changes since ${base}`);

const counts = join(logs, 'counts.ndjson');
const tarballs = join(logs, 'tarballs');
const tests = { BECKON_TEST_COUNTS: counts, BECKON_TEST_SEED: String(seed), BECKON_TEST_POSTGRES: 'sample' };
const program = (...args: readonly string[]): readonly string[] => [
  'node',
  '--import',
  './scripts/source-preload.mjs',
  ...args,
];
const sample = (name: string) => (): Promise<unknown> =>
  step(`campaign ${name}, sample`, program('scripts/campaign.ts', name, '--sample'), {
    show: /^ +(fault|sequences:|sequence seed)|killed,|survived:|^binary |^campaign /,
    // A mutant makes tests fail on purpose.
    env: { BECKON_TEST_COUNTS: name === 'invariants' ? undefined : counts },
  });

type Step = () => Promise<unknown>;
/** Runs lists of steps concurrently, the steps of one list one after the other. */
const lanes = (...lists: readonly (readonly Step[])[]): Promise<unknown> =>
  Promise.all(
    lists.map(async (list) => {
      for (const next of list) await next();
    }),
  );
const plain =
  (name: string, command: readonly string[], show?: RegExp): Step =>
  () =>
    step(name, command, show && { show });

await lanes([plain('biome ci', ['biome', 'ci'])], [plain('tsc -b', ['tsc', '-b'])]);
await step('pack', ['node', 'scripts/pack.mjs', tarballs]);
// Alone, because its workers fill both cores. The end-to-end tests start the packed program.
await step(
  'tests',
  ['vitest', 'run', ...['unit', 'contract-sqlite', 'contract-postgres', 'e2e'].flatMap((name) => ['--project', name])],
  { env: { ...tests, BECKON_TEST_DIST: '1' }, show: /^(simulator|kill (server|worker)) / },
);

const packages = globSync(`${tarballs}/*.tgz`).toSorted();
await lanes(
  // Steps that mostly wait.
  [
    sample('browser'),
    sample('faults'),
    plain('packed packages in an empty folder', ['node', 'scripts/check-packed.mjs', tarballs]),
    plain('code blocks of README.md and of a third of the docs', [
      'node',
      'scripts/check-readme.mjs',
      '--sample',
      tarballs,
    ]),
    plain('tour on PostgreSQL', program('scripts/with-postgres.ts', 'npm', 'run', 'tour', '--', '--db', '@url')),
    plain('embedded example', ['npm', 'run', 'embed']),
    plain('own transport and hooks, example', ['npm', 'run', 'own-transport']),
    plain('firebase-admin as a transport, example', ['npm', 'run', 'firebase-admin']),
    ...['web', 'auth-web', 'express', 'fastify', 'hono', 'nextjs'].map((name) =>
      plain(`${name} example`, ['npm', 'run', name, '--', '--check']),
    ),
  ],
  // Steps that compute.
  [
    sample('binary'),
    sample('invariants'),
    plain('knip', ['knip']),
    plain('knip --production', ['knip', '--production']),
    ...packages.flatMap((file) => [
      plain(`publint ${basename(file, '.tgz')}`, ['publint', '--strict', file]),
      plain(`attw ${basename(file, '.tgz')}`, ['attw', '--profile', 'esm-only', file]),
    ]),
    ...(existsSync('/usr/bin/strace') || !existsSync('/usr/bin/apt-get')
      ? []
      : [plain('apt-get install strace', ['bash', 'scripts/apt-install.sh', 'strace'])]),
    plain('fsync before the answer, under strace', program('scripts/check-fsync.ts'), /./),
    plain('migrations fit the tables', ['node', 'scripts/check-migrations.mjs']),
    ...(isChanged(/^packages\/core\/src\/sms\/segments|^package-lock\.json$/) ? [sample('billed')] : []),
    ...(isChanged(/zone-clock|quiet-window|steps\/wait\/window|^packages\/sdk-js\/src\/node|^package-lock\.json$/)
      ? [sample('node')]
      : []),
    ...(isChanged(/^packages\/sdk-js\/src\/|^bench\/peers\//)
      ? [
          plain('clients of others, to compare sizes with', [
            ...['npm', 'install', '--prefix', 'bench/peers', '--ignore-scripts', '--no-audit', '--no-fund'],
          ]),
          plain(
            'sizes of the client beside others',
            ['vitest', 'run', '--project', 'unit', 'scripts/sdk-size.test.ts'],
            /size [^o].* KiB/,
          ),
        ]
      : []),
  ],
);
await step('age of each campaign', program('scripts/campaign.ts', '--ages'), { show: /^campaign/ });
await step('no file of the repository changed', [
  'bash',
  '-c',
  'diff <(printf %s "$0") <(git status --porcelain)',
  before.trimEnd(),
]);

const cpu = installed.cpu + runner.cpu();
const wall = installed.seconds + runner.seconds();
console.log(`all steps: ${wall.toFixed(0)} s, ${cpu.toFixed(0)} CPU s`);
if (cpu > MAX_CPU_SECONDS)
  console.log(`This is more than ${MAX_CPU_SECONDS} CPU seconds: see "What CI costs" in CONTRIBUTING.md.`);
const summary = spawnSync(process.execPath, ['scripts/ci-summary.mjs', counts, ...failed], { stdio: 'inherit' });
if (summary.status === 0) rmSync(logs, { recursive: true, force: true });
process.exitCode = summary.status ?? 1;
