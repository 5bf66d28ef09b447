import { readdirSync, readFileSync } from 'node:fs';
import type { DialectName } from './dialect-name.ts';
import type { Migration } from './migrate.ts';

/** The generated migrations next to this file (in `dist` next to the bundle). Throws if they are missing. */
export const shippedMigrations = (dialect: DialectName): readonly Migration[] => {
  const folder = new URL(`./migrations/${dialect}/`, import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name: name.slice(0, -'.sql'.length), sql: readFileSync(new URL(name, folder), 'utf8') }));
};
