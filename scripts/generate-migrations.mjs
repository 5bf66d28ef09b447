// Writes what the tables have and the migrations lack, one SQL file per database. `npm run migrations -w @beckon/core -- NAME`.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const [name] = process.argv.slice(2);
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Give the migration a name in snake case, such as add_geofences.');
  process.exit(2);
}
/** Tables that SQLite keeps in the order of their primary key alone; the generator has no word for it. */
const WITHOUT_ROWID = ['event_message_ids', 'events_by_person', 'cap_entries', 'audience_members', 'token_owners'];

const withoutRowId = () => {
  for (const file of globSync('src/database/migrations/sqlite/*.sql')) {
    const sql = readFileSync(file, 'utf8');
    const made = WITHOUT_ROWID.reduce(
      (text, table) => text.replace(new RegExp(`(CREATE TABLE \`${table}\` \\([^;]*\\));`), '$1 WITHOUT ROWID;'),
      sql,
    );
    if (made !== sql) writeFileSync(file, made);
  }
};

for (const dialect of ['sqlite', 'postgres']) {
  const { status } = spawnSync('drizzle-kit', ['generate', '--config', 'drizzle.config.ts', '--name', name], {
    env: { ...process.env, BECKON_DIALECT: dialect },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
withoutRowId();
