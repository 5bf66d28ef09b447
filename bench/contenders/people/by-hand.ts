import pg from 'pg';
import { openConnection } from '../../../packages/core/src/database/sqlite/connection.ts';

/** Statements on the driver, prepared once per text. */
export type ByHand = {
  readonly dialect: 'sqlite' | 'postgres';
  run(text: string): Promise<void>;
  /** All rows, each with its columns by name. */
  rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
};

const onSqlite = (path: string): ByHand => {
  const connection = openConnection(path, 'full');
  const prepared = new Map<string, ReturnType<typeof connection.prepare>>();
  return {
    dialect: 'sqlite',
    run: async (text) => {
      connection.exec(text);
    },
    rows: async (text) => {
      const statement = prepared.get(text) ?? connection.prepare(text);
      prepared.set(text, statement);
      // Safe: the driver returns objects by default.
      return statement.all() as Readonly<Record<string, unknown>>[];
    },
    close: async () => {
      connection.close();
    },
  };
};

const onPostgres = async (connectionString: string): Promise<ByHand> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const names = new Map<string, string>();
  return {
    dialect: 'postgres',
    run: async (text) => {
      await client.query(text);
    },
    rows: async (text) => {
      const name = names.get(text) ?? `statement_${names.size}`;
      names.set(text, name);
      return (await client.query({ name, text })).rows;
    },
    close: () => client.end(),
  };
};

/** Connects to a SQLite file or a PostgreSQL database. */
export const byHand = async (url: string): Promise<ByHand> =>
  url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);

/** The first number of the first row. */
export const numberOf = async ({ rows }: ByHand, text: string): Promise<number> =>
  Number(Object.values((await rows(text))[0] ?? {})[0]);
