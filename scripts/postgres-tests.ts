import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path/posix';
import { baseCommit, changedFiles, isInPart, movingSeed } from './moving-seed.ts';

/** Tests of PostgreSQL alone. */
const ONLY = 'packages/*/src/**/*.postgres.test.ts';
/** Tests that run on both databases. */
const BOTH = ['packages/*/src/**/*.db.test.ts', 'packages/core/test/invariants/*.db.test.ts'];
/** Always on both: isolation of tenants, hostile input and the statements of every module. */
const ALWAYS = new Set(['tenants.db.test.ts', 'hostile.db.test.ts', 'statements.db.test.ts', 'storage.db.test.ts']);
/** One in this number of the other files, another selection for each commit. */
const PARTS = 3;

const isSource = (file: string): boolean => file.endsWith('.ts') && !/\.test\.ts$|\/testing\//.test(file);

/** Folders with a source file that has special code for PostgreSQL: SQL, an index, a lock or a limit. */
const foldersWithOwnSql = (): Set<string> =>
  new Set(
    globSync('packages/*/src/**/*.ts')
      .filter((file) => isSource(file) && /postgres/i.test(readFileSync(file, 'utf8')))
      .map(dirname)
      .filter((folder) => basename(folder) !== 'src'),
  );

/**
 * The tests of PostgreSQL in a quick run: every test of it alone, every module with its own SQL, every changed folder,
 * and a third of the others. `npm run campaign -- both` runs all of them.
 */
export const sampledPostgresTests = (): string[] => {
  const own = foldersWithOwnSql();
  const changed = new Set(changedFiles(baseCommit())?.filter(isSource).map(dirname) ?? []);
  const seed = movingSeed();
  const isRun = (file: string): boolean =>
    own.has(dirname(file)) || changed.has(dirname(file)) || ALWAYS.has(basename(file)) || isInPart(file, seed, PARTS);
  return [ONLY, ...globSync(BOTH).filter(isRun)];
};

/** Files of the project `contract-postgres`: all, or the sample if BECKON_TEST_POSTGRES is `sample`. */
export const postgresTests = (): string[] =>
  process.env['BECKON_TEST_POSTGRES'] === 'sample' ? sampledPostgresTests() : [ONLY, ...BOTH];
