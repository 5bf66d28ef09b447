/*
 * Writes the fixture databases of a release, and the digests of all migrations. From then on neither may change.
 * Use: node --import ./scripts/source-preload.mjs scripts/schema-fixture.ts NAME
 *      --replace   only before the first release: also writes migration 0000 again, and NAME may exist
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { saveFixture } from '../packages/core/test/support/fixtures/files.ts';
import { fillFixture } from '../packages/core/test/support/fixtures/fill.ts';
import { changedMigrations, DIGESTS, digestsOf } from '../packages/core/test/support/fixtures/frozen.ts';
import { startPostgres } from '../packages/core/test/support/postgres-server.ts';

const [name, flag] = process.argv.slice(2);
if (!name || !/^[a-z0-9][a-z0-9.-]*$/.test(name) || (flag !== undefined && flag !== '--replace')) {
  console.error('Give the release a name, such as 0.2.0. Only --replace may follow it.');
  process.exit(2);
}
const replaces = flag === '--replace';
const changed = changedMigrations();
if (changed.length > 0 && !replaces) {
  console.error(`Released migrations have changed: ${changed.join(', ')}. Restore them and write a new migration.`);
  process.exit(1);
}

if (replaces) {
  const core = fileURLToPath(new URL('../packages/core', import.meta.url));
  const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
  for (const dialect of ['sqlite', 'postgres'])
    rmSync(join(core, 'src/database/migrations', dialect), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, ['../../scripts/generate-migrations.mjs', 'first'], {
    cwd: core,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'beckon-fixture-'));
const server = await startPostgres();
try {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database fixture');
  await client.end();
  const url = new URL(server.url);
  url.pathname = '/fixture';
  const places = [['sqlite', `sqlite:${join(folder, 'fixture.db')}`] as const, ['postgres', url.href] as const];
  for (const [dialect, place] of places) {
    await saveFixture(name, dialect, place, await fillFixture({ url: place }), replaces);
    console.log(`${name} ${dialect} is written`);
  }
  writeFileSync(fileURLToPath(DIGESTS), `${JSON.stringify(digestsOf(), null, 2)}\n`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
