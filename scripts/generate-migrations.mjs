// Writes what the tables have and the migrations lack, one SQL file per database. `npm run migrations -w @beckon/core -- NAME`.
import { spawnSync } from 'node:child_process';

const [name] = process.argv.slice(2);
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Give the migration a name in snake case, such as add_geofences.');
  process.exit(2);
}
for (const dialect of ['sqlite', 'postgres']) {
  const { status } = spawnSync('drizzle-kit', ['generate', '--config', 'drizzle.config.ts', '--name', name], {
    env: { ...process.env, BECKON_DIALECT: dialect },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
