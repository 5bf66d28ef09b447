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

/** Everything of a database but rows, as one line: what a test changed of it shows. */
const SHAPE = `select md5(string_agg(part, ';' order by part)) as shape from (
  select 'class ' || relname || relkind::text || relnatts || coalesce(reloptions::text, '') as part
    from pg_class where relnamespace = 'public'::regnamespace
  union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
  union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'constraint ' || conname || convalidated from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'schema ' || nspname from pg_namespace where nspname !~ '^pg_'
  union all select 'settings ' || setconfig::text from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
) parts`;
/** Takes the rows out of the tables that have any, and numbers begin anew. */
const EMPTY = `do $$ declare one text; used text[] := '{}'; has boolean; begin
  for one in select format('%I', tablename) from pg_tables where schemaname = 'public' and tablename <> 'beckon_migrations' loop
    execute 'select exists (select from ' || one || ')' into has;
    if has then used := used || one; end if;
  end loop;
  if array_length(used, 1) > 0 then
    execute 'truncate ' || array_to_string(used, ', ') || ' restart identity';
  end if;
end $$`;

const inDatabase = async <T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
const shapeIn = async (client: pg.Client): Promise<string> =>
  (await client.query<{ shape: string }>(SHAPE)).rows[0]?.shape ?? '';

/** Databases that tests of this process are done with, as new: making one takes ten times as long as emptying it. */
const idle: string[] = [];
let shape: Promise<string> | undefined;

/** Empties a database whose test is over, for the next one; one whose tables were changed is dropped. */
const giveBack = async (name: string): Promise<void> => {
  const own = await inDatabase(name, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.query(EMPTY);
    return shapeIn(client);
  });
  if (own === (await shape)) idle.push(name);
  else await onServer((client) => client.query(`drop database ${name} with (force)`));
};

/** An empty, migrated PostgreSQL database of its own and the way to give it back. */
export const newPostgresDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  template ??= makeTemplate();
  await template;
  const used = idle.pop();
  const name = used ?? `t_${randomUUID().replaceAll('-', '')}`;
  if (used === undefined) await onServer((client) => client.query(`create database ${name} template ${TEMPLATE}`));
  // Not read in the template: nobody may be connected to that while it is copied.
  shape ??= inDatabase(name, shapeIn);
  await shape;
  return { url: urlOf(name), drop: () => giveBack(name) };
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
