import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path/posix';
import { baseCommit, changedFiles, isInPart, movingSeed } from './moving-seed.ts';

/** Tests of PostgreSQL alone. */
const ONLY = 'packages/*/src/**/*.postgres.test.ts';
/** Tests that run on both databases. */
const BOTH = ['packages/*/src/**/*.db.test.ts', 'packages/core/test/invariants/*.db.test.ts'];
/** Always on both: isolation of tenants, hostile input and the statements of every module. */
const ALWAYS = new Set(['tenants.db.test.ts', 'hostile.db.test.ts', 'statements.db.test.ts', 'storage.db.test.ts']);
/** Of the other files one in so many runs, another selection for each commit. */
const PARTS = 3;

const isSource = (file: string): boolean => file.endsWith('.ts') && !/\.test\.ts$|\/testing\//.test(file);

/** Folders with a source file that treats PostgreSQL by itself: SQL, an index, a lock or a limit of its own. */
const foldersWithOwnSql = (): Set<string> =>
  new Set(
    globSync('packages/*/src/**/*.ts')
      .filter((file) => isSource(file) && /postgres/i.test(readFileSync(file, 'utf8')))
      .map(dirname)
      .filter((folder) => basename(folder) !== 'src'),
  );

/**
 * The tests of PostgreSQL in a quick run: every test of it alone, every module with SQL of its own, every folder that
 * changed, and a third of the others. `npm run campaign -- both` runs all of them.
 */
export const sampledPostgresTests = (): string[] => {
  const own = foldersWithOwnSql();
  const changed = new Set(changedFiles(baseCommit())?.filter(isSource).map(dirname) ?? []);
  const seed = movingSeed();
  const isRun = (file: string): boolean =>
    own.has(dirname(file)) || changed.has(dirname(file)) || ALWAYS.has(basename(file)) || isInPart(file, seed, PARTS);
  return [ONLY, ...globSync(BOTH).filter(isRun)];
};

/** What the project `contract-postgres` includes: everything, or the sample where BECKON_TEST_POSTGRES is `sample`. */
export const postgresTests = (): string[] =>
  process.env['BECKON_TEST_POSTGRES'] === 'sample' ? sampledPostgresTests() : [ONLY, ...BOTH];
