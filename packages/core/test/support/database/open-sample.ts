import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { type OpenOptions, openDatabase } from '../../../src/database/open.ts';
import type { Storage } from '../../../src/database/storage.ts';
import type { ContractDatabase, ContractOptions } from './contract-database.ts';
import { sampleMigration, sampleStatements, sampleTables } from './sample.ts';

/** Runs one statement on the test server, or on one database of it. */
export const onServer = async (
  sql: string,
  url: string = inject('postgresUrl'),
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** A location for one database, removed with everything in it. */
export type Place = { readonly url: string; remove(): Promise<void> };

/** An empty PostgreSQL database, with nothing migrated. */
export const postgresPlace = async (): Promise<Place> => {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    remove: async () => {
      await onServer(`drop database ${name} with (force)`);
    },
  };
};

/** A folder for one SQLite file that does not exist yet. */
export const sqlitePlace = (): Place => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-sqlite-'));
  return {
    url: `sqlite:${join(folder, 'beckon.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** A new location for the database that this project tests. */
export const newPlace = async (): Promise<Place> => (inject('engine') === 'postgres' ? postgresPlace() : sqlitePlace());

/** The contract's database at a location, created if new. */
export const openSample = async (
  url: string,
  options: ContractOptions & Pick<OpenOptions, 'poolSize' | 'preparedNames' | 'onError'> = {},
): Promise<ContractDatabase> => {
  const dialect = url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
  const open = (): ReturnType<typeof openDatabase> =>
    openDatabase({ ...options, url, migrations: [sampleMigration(dialect)] });
  const first = await open();
  await first.migrate();
  const { storage } = first;
  const tables = sampleTables(dialect);
  const others: Storage[] = [];
  return {
    storage,
    tables,
    hot: sampleStatements(tables),
    connect: async (count) => {
      if (url === 'sqlite::memory:') return Array<Storage>(count).fill(storage);
      const made = await Promise.all(Array.from({ length: count }, open));
      others.push(...made.map((one) => one.storage));
      return made.map((one) => one.storage);
    },
    close: async () => {
      for (const one of [storage, ...others]) await one.close();
    },
  };
};

/** Empties the contract's tables on PostgreSQL, so that the location serves another test; no observer sees it. */
export const emptySample = async (url: string): Promise<void> => {
  await onServer(
    'delete from samples; delete from counters; delete from errands; delete from slots; delete from numbered; delete from jobs',
    url,
  );
};
