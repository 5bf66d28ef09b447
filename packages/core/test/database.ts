import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../src/storage/open.ts';
import { type Tables, tablesOf } from '../src/tables.ts';

export type TestDatabase = OpenDatabase & { readonly url: string; readonly tables: Tables; close(): Promise<void> };

const onServer = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const TEMPLATE = 'beckon_template';
let template: Promise<void> | undefined;

/** A migrated template, made once per server whatever the number of test processes. */
const makeTemplate = async (): Promise<void> => {
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE]);
    if (rowCount) return;
    const draft = `${TEMPLATE}_draft`;
    await client.query(`create database ${draft}`);
    const made = await openDatabase({ url: urlOf(draft) });
    await made.migrate();
    await made.storage.close();
    await client.query(`alter database ${draft} rename to ${TEMPLATE}`);
  });
};

const urlOf = (database: string): string => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
};

/** An empty, migrated PostgreSQL database of its own and the way to remove it. */
export const newPostgresDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  template ??= makeTemplate();
  await template;
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer((client) => client.query(`create database ${name} template ${TEMPLATE}`));
  return {
    url: urlOf(name),
    drop: async () => {
      await onServer((client) => client.query(`drop database ${name} with (force)`));
    },
  };
};

/** An empty, migrated database of the engine that this project tests. */
export const openTestDatabase = async (
  options: Omit<OpenOptions, 'url'> & { url?: string } = {},
): Promise<TestDatabase> => {
  const made = inject('engine') === 'postgres' ? await newPostgresDatabase() : undefined;
  const url = made?.url ?? options.url ?? 'sqlite::memory:';
  const database = await openDatabase({ ...options, url });
  if (!made) await database.migrate();
  return {
    ...database,
    url,
    tables: tablesOf(database.dialect),
    close: async () => {
      await database.storage.close();
      await made?.drop();
    },
  };
};
