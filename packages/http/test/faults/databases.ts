import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { newPostgresDatabase } from '../../../core/test/support/database.ts';

export type Counted = { readonly url: string; events(): Promise<number>; drop(): Promise<void> };

const COUNT = 'select count(*) as stored from events';

const onSqlite = (): Counted => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-load-'));
  const path = join(folder, 'beckon.db');
  return {
    url: `sqlite:${path}`,
    events: async () => {
      const file = new Database(path, { readonly: true });
      try {
        return Number(file.prepare(COUNT).pluck().get());
      } finally {
        file.close();
      }
    },
    drop: async () => rmSync(folder, { recursive: true }),
  };
};

const onPostgres = async (): Promise<Counted> => {
  const { url, drop } = await newPostgresDatabase();
  return {
    url,
    events: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return Number((await client.query(COUNT)).rows[0]?.stored);
      } finally {
        await client.end();
      }
    },
    drop,
  };
};

/** An empty database of each kind, with a way to read what is stored. */
export const DATABASES = { sqlite: async () => onSqlite(), postgres: onPostgres } as const;
