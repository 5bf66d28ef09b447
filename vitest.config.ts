import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { countReporter } from './scripts/count-reporter.ts';
import { LongestFirst } from './scripts/longest-first.ts';
import { COVERAGE_VARIABLE, mutantPlugin } from './scripts/mutant-plugin.ts';
import { postgresTests } from './scripts/postgres-tests.ts';

// What vite takes by default on the server, after our own; setting conditions replaces its list.
const conditions = ['@beckon/source', 'module', 'node', 'development|production'];
const plugins = mutantPlugin(process.env);
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };
const postgres = './packages/core/test/support/global-postgres.ts';
const onBoth = ['packages/*/src/**/*.db.test.ts', 'packages/core/test/invariants/*.db.test.ts'];
// Minutes of broken providers and dying workers: `npm run campaign -- faults`.
const faults = 'packages/*/test/faults/**/*.test.ts';
// Mail servers of Debian in namespaces of their own: `npm run campaign -- mail`.
const mail = 'packages/*/test/mail/**/*.test.ts';
// Real browsers: `npm run campaign -- browser`.
const browser = 'packages/*/test/browser/**/*.test.ts';
// No test asserts how long anything took: these limits only end a test that hangs.
const testTimeout = 600_000;
const hookTimeout = 600_000;
const setupFiles = [
  './scripts/test-patience.ts',
  ...(process.env[COVERAGE_VARIABLE] === undefined ? [] : ['./scripts/mutant-coverage.ts']),
];
const expect = { poll: { timeout: Number(process.env['BECKON_TEST_PATIENCE_MS'] ?? 540_000) } };
// Files of one worker share the modules that they import, or loading them takes longer than the tests.
const inOneWorker = { isolate: false, setupFiles, expect, testTimeout, hookTimeout };
// Workers import what vite leaves external, such as drizzle-orm, through Node: the preload makes that quick.
const preload = ['--import', new URL('./scripts/source-preload.mjs', import.meta.url).href];

const countsFile = process.env['BECKON_TEST_COUNTS'];

export default defineConfig({
  ...source,
  plugins,
  test: {
    globalSetup: './scripts/check-tests.ts',
    execArgv: preload,
    // More than there are cores: tests of PostgreSQL wait for it half of the time, and those of kills for leases, beside which
    // all others run.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: countsFile ? ['default', countReporter(countsFile)] : ['default'],
    projects: [
      {
        ...source,
        test: {
          name: 'unit',
          ...inOneWorker,
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/support/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.db.test.ts', '**/*.postgres.test.ts'],
        },
      },
      {
        ...source,
        test: {
          name: 'contract-sqlite',
          ...inOneWorker,
          include: onBoth,
          provide: { engine: 'sqlite', postgresUrl: '' },
        },
      },
      {
        ...source,
        test: {
          name: 'contract-postgres',
          ...inOneWorker,
          include: postgresTests(),
          provide: { engine: 'postgres' },
          globalSetup: postgres,
        },
      },
      {
        ...source,
        test: {
          name: 'e2e',
          setupFiles,
          expect,
          include: ['packages/*/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'packages/*/test/support/**', ...onBoth, faults, browser, mail],
          globalSetup: postgres,
          testTimeout,
          hookTimeout,
        },
      },
      {
        ...source,
        test: {
          name: 'faults',
          setupFiles,
          expect,
          include: [faults],
          globalSetup: postgres,
          testTimeout,
          hookTimeout,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...source,
        test: {
          name: 'browser',
          setupFiles,
          expect,
          include: [browser],
          globalSetup: './packages/sdk-js/test/chromium.ts',
          testTimeout,
          hookTimeout,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...source,
        test: {
          name: 'mail',
          setupFiles,
          expect,
          include: [mail],
          testTimeout,
          hookTimeout,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
