/*
 * What several processes do to one database: `commit URL COUNT NAME`, `migrate URL`, or `stall URL AT`, which migrates and
 * hangs after so many statements, or
 * `upgrade URL`, which hangs in a second migration of the contract's database. One line of JSON says what came of it.
 */
import type { Migration } from '../../../src/database/migrate.ts';
import { shippedMigrations } from '../../../src/database/migrations.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { commit, counter, tagged } from './contract-database.ts';
import { openSample } from './open-sample.ts';
import { sampleMigration } from './sample.ts';

const [task = '', url = '', count = '0', name = ''] = process.argv.slice(2);

const commits = async (): Promise<unknown> => {
  const { storage, hot, close } = await openSample(url);
  for (let at = 0; at < Number(count); at += 1)
    await commit(
      storage,
      tagged(hot.insertCounter, counter(`${name} ${at}`)),
      tagged(hot.add, { id: 'shared', value: 1 }),
    );
  await close();
  return { committed: Number(count) };
};

const migration = async (): Promise<unknown> => {
  const database = await openDatabase({ url });
  const applied = await database.migrate();
  await database.storage.close();
  return { applied };
};

/** Ends by itself on PostgreSQL: the server notices late that its client has died, and keeps the lock until then. */
const STALL = {
  sqlite: 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n where i < 0',
  postgres: 'select pg_sleep(3)',
};
const BREAK = '--> statement-breakpoint';

const hang = async (migrations: readonly Migration[]): Promise<unknown> => {
  const database = await openDatabase({ url, migrations });
  // Written at once, since from the next line on a SQLite statement blocks the process.
  process.stdout.write('begun\n');
  return { applied: await database.migrate() };
};

const stalling = async (): Promise<unknown> => {
  const dialect = url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
  if (task === 'upgrade') {
    const sql = ['create table more (id text)', 'delete from counters', STALL[dialect]].join(BREAK);
    return hang([sampleMigration(dialect), { name: '0001_more', sql }]);
  }
  let left = Number(count);
  const migrations = shippedMigrations(dialect).map(({ name: of, sql }) => {
    const statements = sql.split(BREAK);
    const at = left;
    left -= statements.length;
    const isHere = at >= 0 && at < statements.length;
    return { name: of, sql: isHere ? statements.toSpliced(at, 0, STALL[dialect]).join(BREAK) : sql };
  });
  return hang(migrations);
};

if (task === 'stall' || task === 'upgrade') console.log(JSON.stringify(await stalling()));
else console.log(JSON.stringify(await (task === 'migrate' ? migration() : commits())));
