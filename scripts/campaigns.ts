/* The campaigns of `npm run campaign`: checks that take too long for every change. scripts/campaign.ts runs them. */
import { globSync } from 'node:fs';
import { basename } from 'node:path/posix';

/** One command of a campaign. `--from` takes its name. */
export type Part = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type Campaign = {
  /** One line for `--help`. */
  readonly about: string;
  /** Concurrent parts; 1 if a part measures time or fills both cores. */
  readonly jobs: 1 | 2;
  /** Debian packages that tests need, each with a program that shows that it is installed. */
  readonly needs?: readonly (readonly [program: string, ...packages: string[]])[];
  /** Lines of the output to print. */
  readonly show?: RegExp;
  readonly parts: (seed: number, names: readonly string[]) => readonly Part[];
  /** A few parts for every change. Absent if the ordinary tests contain a sample. */
  readonly sample?: (seed: number) => readonly Part[];
  /** The figures of the line in docs/internals/campaigns.md, from the outputs of the parts that ran. */
  readonly figures: (outputs: readonly string[]) => string;
};

const number = (value: number): string => value.toLocaleString('en-GB');

/** The sum of the numbers in the first group of a pattern. */
const sum = (outputs: readonly string[], pattern: RegExp): number =>
  outputs
    .flatMap((text) => Array.from(text.matchAll(pattern), ([, value]) => Number(value)))
    .reduce((a, b) => a + b, 0);

const maximum = (outputs: readonly string[], pattern: RegExp): number =>
  Math.max(0, ...outputs.flatMap((text) => Array.from(text.matchAll(pattern), ([, value]) => Number(value))));

const vitest = (project: string, ...paths: readonly string[]): readonly string[] => [
  'vitest',
  'run',
  '--project',
  project,
  ...paths,
];
const preloaded = (...args: readonly string[]): readonly string[] => [
  'node',
  '--import',
  './scripts/source-preload.mjs',
  ...args,
];

const testFigures = (outputs: readonly string[]): string =>
  `${number(sum(outputs, /^\s*Tests .*?(\d+) passed/gm))} tests passed, ${number(sum(outputs, /^\s*Tests .*?(\d+) failed/gm))} failed, ${number(sum(outputs, /^\s*Tests .*?(\d+) skipped/gm))} skipped`;

/** Seeds of the simulator in one campaign and in one part; one year in fifty also runs on PostgreSQL. */
const SIMULATOR_SEEDS = 5_000;
const SEEDS_PER_PART = 250;
const SEEDS_PER_POSTGRES_SEED = 50;

const simulator = (project: string, database: string, first: number, count: number): Part => ({
  name: `${database} ${first}`,
  command: vitest(project, 'packages/core/src/automation/runs/simulator'),
  env: { BECKON_SIMULATOR_FIRST: String(first), BECKON_SIMULATOR_SEEDS: String(count) },
});

/** Seeds of the lines `simulator DATABASE seeds FIRST to LAST`. */
const seedsOf = (outputs: readonly string[]): number =>
  sum(outputs, /seeds \d+ to (\d+)/g) - sum(outputs, /seeds (\d+) to \d+/g) + outputs.length;

const simulate: Campaign = {
  about: '5,000 simulated years of workflows with crashes, merges and edits; 100 of them on PostgreSQL',
  jobs: 2,
  show: /^simulator /,
  parts: (seed, [count]) => {
    const seeds = count === undefined ? SIMULATOR_SEEDS : Number(count);
    const starts = Array.from({ length: Math.ceil(seeds / SEEDS_PER_PART) }, (_, at) => at * SEEDS_PER_PART);
    return starts.flatMap((start) => {
      const size = Math.min(SEEDS_PER_PART, seeds - start);
      const onPostgres = Math.ceil(size / SEEDS_PER_POSTGRES_SEED);
      return [
        simulator('contract-sqlite', 'sqlite', seed + start, size),
        simulator('contract-postgres', 'postgres', seed + start, onPostgres),
      ];
    });
  },
  figures: (outputs) =>
    `${number(seedsOf(outputs))} years, ${number(sum(outputs, /runs (\d+)/g))} runs, ${number(sum(outputs, /steps (\d+)/g))} steps, ${number(sum(outputs, /crashes (\d+)/g))} crashes, broken ${sum(outputs, /broken (\d+)/g)}`,
};

const KILL_PARTS = 4;
const KILLS_PER_PART = 5;

const kill: Campaign = {
  about: '20 rounds of kill -9 of servers and of workers on both databases',
  jobs: 1,
  show: /kill (server|worker) /,
  parts: (seed) =>
    Array.from({ length: KILL_PARTS }, (_, at) => ({
      name: `rounds ${at * KILLS_PER_PART + 1}`,
      command: vitest('e2e', '/test/kill/kill-9'),
      env: { BECKON_KILL_ROUNDS: String(KILLS_PER_PART), BECKON_KILL_SEED: String(seed + at) },
    })),
  figures: (outputs) =>
    `${number(sum(outputs, /acknowledged (\d+)/g))} events acknowledged, ${number(sum(outputs, /messages (\d+)/g))} messages, lost ${sum(outputs, /lost (\d+)/g)}, takeover at most ${maximum(outputs, /takeover ([\d.]+) s/g)} s`,
};

const killSignUp: Campaign = {
  about: '20 rounds of kill -9 of a program that signs users up, on both databases',
  jobs: 1,
  show: /kill sign-up /,
  parts: () => [
    {
      name: 'rounds',
      command: vitest('e2e', '/test/kill/sign-up'),
      env: { BECKON_KILL_ROUNDS: String(KILL_PARTS * KILLS_PER_PART) },
    },
  ],
  figures: (outputs) =>
    `${number(sum(outputs, /acknowledged (\d+)/g))} sign-ups acknowledged, ${number(sum(outputs, /found (\d+)/g))} found, lost ${sum(outputs, /lost (\d+)/g)}`,
};

const signIn: Campaign = {
  about: 'sign-in under load and races, and beside a newsletter; readers of the newsletter as an argument (100,000)',
  jobs: 1,
  show: /^sign-in /,
  parts: (_, names) => [{ name: 'all', command: preloaded('scripts/sign-in.ts', ...names) }],
  figures: (outputs) => {
    const found = (pattern: RegExp): string => outputs.map((text) => pattern.exec(text)?.[1] ?? '').join('') || '?';
    return [
      `known and unknown at most ${maximum(outputs, /unknown [\d.]+ ms, ([\d.]+) % apart/g)} % apart`,
      `refresh p99 under 200 clients ${found(/([\d.]+) times \(at most/)} times idle`,
      `shed p50 ${found(/shed: \d+, p50 ([\d.]+ ms)/)}`,
      `CPU of POST /events: refresh ${found(/refresh \d+ us = ([\d.]+)/)}, bearer check ${found(/bearer check \d+ us = ([\d.]+)/)}`,
      `sign-up to mail p50 ${found(/during a newsletter of .*?p50 ([\d.]+ ms|Infinity ms)/)}`,
      `races ${found(/races: (.*)/)}`,
    ].join(', ');
  },
};

const importUsers: Campaign = {
  about: '100,000 users imported from a file and through a server, and exported, on both databases',
  jobs: 1,
  show: /import on /,
  parts: () => [
    {
      name: 'users',
      command: vitest('e2e', '/test/import-users'),
      env: { BECKON_IMPORT_USERS: '100000' },
    },
  ],
  figures: (outputs) =>
    outputs.flatMap((text) => Array.from(text.matchAll(/import on (.+)/g), ([, figures]) => figures ?? '')).join('; '),
};

const FAULTS = 'packages/*/test/faults/**/*.test.ts';
/** The five cheapest that need no Debian package. Measured: 7 to 12 CPU s each, 90 s together. */
const QUICK_FAULTS = ['poison-batch', 'budgets', 'silent', 'poison', 'slow'];

const fault = (file: string): Part => ({ name: basename(file, '.test.ts'), command: vitest('faults', file) });

const faults: Campaign = {
  about: 'providers, receivers and databases that fail: every file of test/faults',
  jobs: 1,
  needs: [
    ['faketime', 'faketime'],
    ['/usr/sbin/pgbouncer', 'pgbouncer'],
    ['etcd', 'etcd-server'],
    ['patroni', 'patroni', 'postgresql'],
  ],
  show: /^fault [a-z]+/,
  parts: () => globSync(FAULTS).toSorted().map(fault),
  sample: () =>
    globSync(FAULTS)
      .filter((file) => QUICK_FAULTS.includes(basename(file, '.test.ts')))
      .map(fault),
  figures: testFigures,
};

const BROWSER_SEEDS = 200;
const BROWSER_SEEDS_PER_PART = 40;
const SAMPLED_BROWSER_SEEDS = 20;
const SAMPLED_SIGN_IN_SEEDS = 5;

const sequences = (first: number, count: number): Part => ({
  name: `seeds ${first}`,
  command: vitest('browser', 'test/browser/sequences'),
  env: { BECKON_BROWSER_SEED: String(first), BECKON_BROWSER_SEEDS: String(count) },
});
const pages: Part = {
  name: 'pages',
  command: vitest('browser', 'test/browser/pages', 'test/browser/push', 'test/browser/auth.test'),
};
const signInSequences = (first: number, count: number): Part => ({
  name: `sign-in seeds ${first}`,
  command: vitest('browser', 'test/browser/auth-sequences'),
  env: { BECKON_BROWSER_SEED: String(first), BECKON_BROWSER_SEEDS: String(count) },
});

const browser: Campaign = {
  about: '200 random sequences of visits, lost networks and restarts in Chromium, and 200 of tabs that are signed in',
  jobs: 1,
  show: /^(sequences: |sign-in sequences: |sequence seed .*(could not|ended))/,
  parts: (seed) => [
    pages,
    ...Array.from({ length: BROWSER_SEEDS / BROWSER_SEEDS_PER_PART }, (_, at) =>
      [sequences, signInSequences].map((part) => part(seed + at * BROWSER_SEEDS_PER_PART, BROWSER_SEEDS_PER_PART)),
    ).flat(),
  ],
  sample: (seed) => [pages, sequences(seed, SAMPLED_BROWSER_SEEDS), signInSequences(seed, SAMPLED_SIGN_IN_SEEDS)],
  figures: (outputs) =>
    [
      `${number(sum(outputs, /^sequences: (\d+) seeds/gm))} sequences, ${number(sum(outputs, /seeds, (\d+) events/g))} events sent, each stored once`,
      `${number(sum(outputs, /sign-in sequences: (\d+) seeds/g))} sequences of sign-in, ${number(sum(outputs, /seeds, (\d+) sessions/g))} sessions lost`,
    ].join('; '),
};

const killedFigures = (outputs: readonly string[]): string => {
  const killed = sum(outputs, /^all: (\d+) of \d+ killed/gm);
  const tried = sum(outputs, /^all: \d+ of (\d+) killed/gm);
  return `${number(killed)} of ${number(tried)} killed (${tried === 0 ? 0 : Math.floor((100 * killed) / tried)} %)`;
};

const mutants: Campaign = {
  about: 'changes of one place of the code at a time, the nearest tests run on each; names of modules as arguments',
  jobs: 1,
  show: /killed,|^ +(survived|not executed)|^\d+ files/,
  parts: (_, names) => [{ name: 'all', command: preloaded('scripts/mutants.ts', ...names) }],
  figures: killedFigures,
};

const invariants: Campaign = {
  about: 'changes that break the rules that matter most, one at a time: the tests must notice each',
  jobs: 1,
  show: /killed,|^ +(survived|not executed)/,
  parts: () => [{ name: 'all', command: preloaded('scripts/mutants.ts', '--invariants') }],
  sample: () => [
    { name: 'nearest', command: preloaded('scripts/mutants.ts', '--invariants', '--most', '12', '--minutes', '5') },
  ],
  figures: killedFigures,
};

const WHOLE = { BECKON_TEST_WHOLE: '1', BECKON_CAPS_CAMPAIGN: '1' };

const both: Campaign = {
  about:
    'all tests of both databases without samples, every page of the docs, the tour and the embedded example on both',
  jobs: 1,
  parts: () => [
    { name: 'sqlite', command: vitest('contract-sqlite'), env: WHOLE },
    { name: 'postgres', command: vitest('contract-postgres'), env: WHOLE },
    { name: 'docs', command: ['node', 'scripts/check-readme.mjs'] },
    { name: 'tour', command: ['npm', 'run', 'tour'] },
    {
      name: 'embed on PostgreSQL',
      command: preloaded('scripts/with-postgres.ts', ...preloaded('examples/embed/postgres.ts', '@url')),
      env: { BECKON_MASTER_KEY: '0123456789abcdef'.repeat(4) },
    },
  ],
  figures: testFigures,
};

const segments: Part = {
  name: 'segments',
  command: vitest('unit', 'packages/core/src/messaging/sms/segments.billed'),
  env: WHOLE,
};

const billed: Campaign = {
  about: '30,000 texts against a calculator of SMS segments',
  jobs: 1,
  parts: () => [segments],
  sample: () => [segments],
  figures: (outputs) => `30,000 texts, ${testFigures(outputs)}`,
};

const mail: Campaign = {
  about: 'mail through Postfix, Exim, opendkim, opendmarc and rspamd of Debian, and their delivery reports',
  jobs: 1,
  show: /^mail |^No packages|^The mail servers|^Error: Debian/,
  parts: () => [
    { name: 'folding', command: vitest('unit', 'packages/core/src/delivery/transports/smtp/fold'), env: WHOLE },
    { name: 'servers', command: ['bash', 'scripts/mail-namespace.sh', ...vitest('mail')] },
  ],
  figures: (outputs) => {
    const verdicts = outputs.flatMap((text) =>
      Array.from(text.matchAll(/mail rspamd (\w+): ([a-z ]+), (-?[\d.]+)/g), ([, ...said]) => said.join(' ')),
    );
    return `${sum(outputs, /signatures [\w ]+: (\d+) verified/g)} DKIM signatures verified, rspamd: ${verdicts.join(', ') || 'not asked'}; ${outputs.join('').split(/mail \w+ returned /).length - 1} reports read; ${testFigures(outputs)}`;
  },
};

const OLDEST_NODE = `node-linux-${process.arch}@22.19.0`;

const ON_OTHER_NODES: readonly Part[] = [
  {
    name: 'oldest Node',
    command: [
      'npm',
      'exec',
      '--yes',
      `--package=${OLDEST_NODE}`,
      '-c',
      'node --version && node node_modules/vitest/vitest.mjs run --project unit --project contract-sqlite packages/sdk-js/src/node',
    ],
  },
  {
    name: 'time zones',
    command: [
      'bash',
      '-c',
      'node --import ./scripts/source-preload.mjs scripts/check-time-zones.ts "$(npm exec --yes --package="$0" -c "command -v node")"',
      OLDEST_NODE,
    ],
  },
];

const node: Campaign = {
  about: 'the oldest supported Node, and quiet hours under two builds of time-zone data',
  jobs: 1,
  show: /^v22|moments/,
  parts: () => ON_OTHER_NODES,
  sample: () => ON_OTHER_NODES,
  figures: testFigures,
};

/** Every campaign by its name, in the order of `all`. */
const executable = (name: string): Part => ({
  name,
  command: ['node', 'scripts/binary/try.mjs', ...(name === 'timed' ? ['--timed'] : [])],
});

const binary: Campaign = {
  about: 'the executable, built and tried in a chroot without network; its size, start and memory beside the package',
  jobs: 1,
  show: /^binary /,
  parts: () => [executable('tried'), executable('timed')],
  sample: () => [executable('tried')],
  figures: (outputs) =>
    outputs
      .flatMap((text) =>
        Array.from(text.matchAll(/^binary (size|start|memory): (.*)$/gm), ([, what, value]) => `${what} ${value}`),
      )
      .join(', '),
};

const recipes: Campaign = {
  about:
    'the files of examples/deploy: nginx and Caddy in front of the server, systemd, Kubernetes and Compose as far as one machine goes',
  jobs: 1,
  needs: [
    ['nginx', 'nginx'],
    ['caddy', 'caddy'],
  ],
  show: /^recipe /,
  parts: () => [{ name: 'all', command: preloaded('scripts/recipes.ts') }],
  figures: (outputs) => {
    const lines = outputs.flatMap((text) => text.match(/^recipe .*$/gm) ?? []);
    return `${lines.filter((line) => line.endsWith(': ok')).length} checks ok, ${lines.filter((line) => line.includes('expected')).length} failed, exposure of the systemd unit ${/exposure: (\S+)/.exec(lines.join('\n'))?.[1] ?? 'unknown'}`;
  },
};

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  simulate,
  kill,
  'kill-sign-up': killSignUp,
  'sign-in': signIn,
  binary,
  'import-users': importUsers,
  faults,
  browser,
  mutants,
  invariants,
  both,
  billed,
  node,
  mail,
  recipes,
};
