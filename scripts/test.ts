/*
 * npm test: format, lint, types, and every test that starts no deployment of its own; on PostgreSQL the tests that
 * scripts/postgres-tests.ts selects. `npm run test:fast` runs the quick units and SQLite tests alone.
 */
import { fastTests } from './fast-tests.ts';
import { movingSeed } from './moving-seed.ts';
import { stepRunner } from './steps.ts';

const isFast = process.argv.includes('--fast');
const seed = movingSeed();
const { step, failed, cpu, seconds } = stepRunner();

const projects = ['unit', 'contract-sqlite', ...(isFast ? [] : ['contract-postgres'])];
if (!isFast) await Promise.all([step('biome ci', ['biome', 'ci']), step('tsc -b', ['tsc', '-b'])]);
const files = isFast ? fastTests() : [];
await step('tests', ['vitest', 'run', ...projects.flatMap((name) => ['--project', name]), ...files], {
  env: { BECKON_TEST_SEED: String(seed), BECKON_TEST_POSTGRES: 'sample' },
  isLive: true,
});
console.log(`seed ${seed}: ${seconds().toFixed(0)} s, ${cpu().toFixed(0)} CPU s`);
process.exitCode = failed.length > 0 ? 1 : 0;
