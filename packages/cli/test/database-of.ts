import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { Place } from './beckon.ts';

export type Engine = 'sqlite' | 'postgres';

/** A database with its URL, and a function that runs SQL on it. */
export type DatabaseOf = { readonly url: string; query(text: string): Promise<unknown[][]> };

let made = 0;

/** Creates separate databases of an engine and removes them afterwards. */
export const withDatabases = async (
  at: Place,
  engine: Engine,
  work: (make: () => Promise<DatabaseOf>) => Promise<void>,
): Promise<void> => {
  if (engine === 'sqlite')
    return work(async () => {
      made += 1;
      const path = join(at.cwd, `db-${made}`, 'beckon.db');
      return {
        url: `sqlite:${path}`,
        query: async (text) => {
          const database = new Database(path, { fileMustExist: true, timeout: 5_000 });
          try {
            const statement = database.prepare<[], unknown[]>(text);
            if (statement.reader) return statement.raw().all();
            statement.run();
            return [];
          } finally {
            database.close();
          }
        },
      };
    });
  const names: string[] = [];
  const on = async (url: string, text: string): Promise<unknown[][]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
    } finally {
      await client.end();
    }
  };
  try {
    await work(async () => {
      made += 1;
      const name = `backup_${process.pid}_${made}`;
      names.push(name);
      await on(inject('postgresUrl'), `create database ${name}`);
      const url = new URL(inject('postgresUrl'));
      url.pathname = `/${name}`;
      return { url: url.href, query: (text) => on(url.href, text) };
    });
  } finally {
    for (const name of names) await on(inject('postgresUrl'), `drop database if exists ${name} with (force)`);
  }
};
