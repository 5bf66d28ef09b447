import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Tables, tablesOf } from '../../src/app/tables.ts';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../../src/database/open.ts';

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

/** A migrated template database, created once per server whatever the number of test processes. */
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

/** The schema of a database as one line, which shows whether a test changed it. */
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
/**
 * Deletes the rows of all tables and restarts sequences. A few rows are deleted faster by `delete`, since `truncate`
 * creates a file for the table and each of its indexes.
 */
const EMPTY = `do $$ declare one regclass; begin
  set local session_replication_role = replica;
  for one in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and relname <> 'beckon_migrations' and pg_relation_size(oid) > 0
  loop
    if pg_relation_size(one) > 262144 then execute 'truncate ' || one; else execute 'delete from ' || one; end if;
  end loop;
  perform setval(format('%I', sequencename)::regclass, start_value, false) from pg_sequences where last_value is not null;
end $$`;

const shapeIn = async (client: pg.Client): Promise<string> =>
  (await client.query<{ shape: string }>(SHAPE)).rows[0]?.shape ?? '';

/** A database of this process with a permanent connection: a new one would read the catalog of all tables again. */
type Own = { readonly name: string; readonly client: pg.Client };
/** Databases of finished tests, emptied: creating one takes far longer than emptying it. */
const idle: Own[] = [];
let shape: Promise<string> | undefined;

const make = async (): Promise<Own> => {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer((client) => client.query(`create database ${name} template ${TEMPLATE}`));
  const client = new pg.Client({ connectionString: urlOf(name) });
  // A test may end every connection; its database is then not reused.
  client.on('error', () => undefined);
  await client.connect();
  return { name, client };
};

/** Empties a database for the next test; one whose tables were changed is dropped. */
const giveBack = async (own: Own): Promise<void> => {
  const { name, client } = own;
  const found = await (async () => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.query(EMPTY);
    return shapeIn(client);
  })().catch(() => null);
  if (found === (await shape)) {
    idle.push(own);
    return;
  }
  await client.end();
  await onServer((other) => other.query(`drop database ${name} with (force)`));
};

/** An empty, migrated PostgreSQL database, and a function that returns it. */
export const newPostgresDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  template ??= makeTemplate();
  await template;
  const own = idle.pop() ?? (await make());
  // Not read in the template, which must have no connections while it is copied.
  shape ??= shapeIn(own.client);
  await shape;
  return { url: urlOf(own.name), drop: () => giveBack(own) };
};

/** An empty, migrated database of the kind that this project tests. */
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
