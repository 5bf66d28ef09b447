/*
 * Fails when the tables and the migrations disagree: drizzle-kit, given a copy of each folder of migrations, must have
 * nothing to add to it. Takes some seconds per database, so it is no part of the test suite.
 * Use: node scripts/check-migrations.mjs
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const core = fileURLToPath(new URL('../packages/core', import.meta.url));
const require = createRequire(import.meta.url);
const kit = join(dirname(require.resolve('drizzle-kit')), 'bin.cjs');

/** drizzle-kit takes a folder relative to where it runs, hence a copy inside the package, where nothing is kept. */
const check = (name, dialect) => {
  mkdirSync(join(core, 'dist'), { recursive: true });
  const copy = mkdtempSync(join(core, 'dist/migrations-'));
  try {
    cpSync(join(core, 'src/database/migrations', name), copy, { recursive: true });
    const before = readdirSync(copy).length;
    const out = copy.slice(core.length + 1);
    const args = ['generate', `--dialect=${dialect}`, `--schema=./drizzle.schema.cjs`, `--out=./${out}`];
    const { status, stdout, stderr } = spawnSync(process.execPath, [kit, ...args], {
      cwd: core,
      encoding: 'utf8',
      env: { ...process.env, BECKON_DIALECT: name },
    });
    const isClean = status === 0 && stdout.includes('No schema changes') && readdirSync(copy).length === before;
    console.log(isClean ? `${name}: migrations and tables agree` : `${name}: tables have changed\n${stdout}${stderr}`);
    return isClean;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

const results = [check('sqlite', 'sqlite'), check('postgres', 'postgresql')];
process.exitCode = results.every(Boolean) ? 0 : 1;
