import type { Client } from 'pg';
import { contained } from '../../foundation/contained.ts';
import { migrate } from '../migrate.ts';
import { APPLIED, migrateLocked, postgresSession } from '../postgres/migrate.ts';
import { WAKE_CHANNEL } from '../postgres/wake.ts';
import { BackupError } from './error.ts';
import type { BackupPart } from './file.ts';
import { blank, NO_WORKERS, quoted, type Restoring, type Secret, type Snapshot } from './parts.ts';

/**
 * Approximate bytes of one frame. Chosen: a row holds at most one or two request bodies, so memory is bounded by bytes.
 */
const FRAME_BYTES = 2_097_152;
/** Rows of the first frame of a table, whose row size is unknown, and of any frame. Chosen. */
const [FIRST_ROWS, MAX_ROWS] = [10, 2_000];
/** How long to wait for locked rows. Chosen. */
const LOCK_MS = 10_000;
/** A worker counts as alive for this long after its last heartbeat, as in `beckon serve`. */
const ALIVE_SECONDS = 35;

// Settings that make PostgreSQL's text of a value independent of the server's configuration.
const SPELLING =
  "set local datestyle = 'ISO'; set local timezone = 'UTC'; set local extra_float_digits = 1; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

const connect = async (url: string): Promise<Client> => {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('PostgreSQL needs the package "pg": npm install pg', { cause });
  });
  const client = new pg.Client({ connectionString: url, application_name: 'beckon backup' });
  // Running queries report the error themselves.
  client.on(
    'error',
    contained(() => undefined),
  );
  await client.connect();
  return client;
};

const texts = async (client: Client, text: string, values: unknown[] = []): Promise<string[][]> =>
  (await client.query<string[]>({ text, values, rowMode: 'array' })).rows;

const COLUMNS = `select attname, format_type(atttypid, atttypmod), pg_get_serial_sequence($1, attname) from pg_attribute
  where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`;

const partOf = async (client: Client, table: string): Promise<BackupPart> => {
  const rows = await texts(client, COLUMNS, [quoted(table)]);
  const next: Record<string, string> = {};
  for (const [name = '', , sequence] of rows)
    if (sequence) {
      const [nextValue] = await texts(
        client,
        `select (case when is_called then last_value + 1 else last_value end)::text from ${sequence}`,
      );
      next[name] = nextValue?.[0] ?? '1';
    }
  return { table, columns: rows.map(([name = '', type = '']) => ({ name, type })), next };
};

/** A snapshot of a PostgreSQL database, however long writing it takes. */
export const postgresSnapshot = async (
  url: string,
  { tables, secrets }: { readonly tables: readonly string[]; readonly secrets: readonly Secret[] },
): Promise<Snapshot> => {
  const client = await connect(url);
  const columnText = (table: string, column: string): string => {
    const columns = secrets.find(
      (secret) => secret.table === table && secret.columns && column in secret.columns,
    )?.columns;
    return columns ? blank(columns[column] ?? null) : `${quoted(column)}::text`;
  };
  const keptRows = (table: string): string => {
    const out = secrets.filter((secret) => secret.table === table && secret.columns === null);
    return out.map(({ where }) => ` where not (${where})`).join('');
  };
  try {
    await client.query(`begin isolation level repeatable read read only; ${SPELLING}`);
    const { rows: migrations } = await client.query<{ name: string; checksum: string }>(APPLIED);
    const counts: number[] = [];
    for (const secret of secrets) {
      const [row] = await texts(client, `select count(*)::text from ${quoted(secret.table)} where ${secret.where}`);
      counts.push(Number(row?.[0]));
    }
    return {
      migrations,
      counts,
      write: async (writer) => {
        for (const table of tables) {
          const part = await partOf(client, table);
          // The database is older than this table.
          if (part.columns.length === 0) continue;
          await writer.part(part);
          const values = part.columns.map(({ name }) => columnText(table, name)).join(', ');
          await client.query(
            `declare dump no scroll cursor for select json_build_array(${values})::text from ${quoted(table)}${keptRows(table)}`,
          );
          for (let batchRows = FIRST_ROWS; ; ) {
            const rows = await texts(client, `fetch ${batchRows} from dump`);
            if (rows.length === 0) break;
            const frame = Buffer.from(`[${rows.join(',')}]`);
            await writer.data(frame);
            batchRows = Math.max(1, Math.min(MAX_ROWS, Math.floor((FRAME_BYTES * rows.length) / frame.length)));
          }
          await client.query('close dump');
        }
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
};

const isThere = async (client: Client, table: string): Promise<boolean> =>
  (await texts(client, 'select 1 where to_regclass($1) is not null', [quoted(table)])).length > 0;

/** An idle server holds no connection, so this check cannot find it; the operator must stop it. */
const refuseInUse = async (client: Client): Promise<void> => {
  const listening = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and query = 'listen ${WAKE_CHANNEL}'`;
  const seen = `select 1 from workers where last_seen_at > now() - interval '${ALIVE_SECONDS} seconds'`;
  if (
    (await texts(client, listening)).length > 0 ||
    ((await isThere(client, 'workers')) && (await texts(client, seen)).length > 0)
  )
    throw new BackupError('in_use', 'The database is in use: stop every server and worker first.');
};

const refuseRows = async (client: Client, tables: readonly string[]): Promise<void> => {
  for (const table of tables)
    if ((await texts(client, `select 1 from ${quoted(table)} limit 1`)).length > 0)
      throw new BackupError(
        'not_empty',
        'The database is not empty, and a restore would delete its data. Restore into an empty database.',
      );
};

const insertInto = ({ table, columns }: BackupPart): string =>
  `insert into ${quoted(table)} (${columns.map(({ name }) => quoted(name)).join(', ')}) overriding system value
    select ${columns.map(({ type }, at) => `(r ->> ${at})::${type}`).join(', ')} from json_array_elements($1::json) r`;

const restartSequences = async (client: Client, { table, next }: BackupPart): Promise<void> => {
  for (const [column, from] of Object.entries(next)) {
    const [found] = await texts(client, 'select pg_get_serial_sequence($1, $2)', [quoted(table), column]);
    // ALTER SEQUENCE is rolled back with the transaction; setval is not.
    if (found?.[0]) await client.query(`alter sequence ${found[0]} restart with ${BigInt(from)}`);
  }
};

/** Replaces all tables of Beckon in a PostgreSQL database with a backup, in one transaction. */
export const restorePostgres = async (url: string, restoring: Restoring): Promise<void> => {
  const { frames, migrations, known, isForced, tables, proof } = restoring;
  const client = await connect(url);
  try {
    await client.query(`begin; ${SPELLING}; set local lock_timeout = ${LOCK_MS}`);
    await migrateLocked(client);
    await refuseInUse(client);
    const there: string[] = [];
    for (const table of tables) if (await isThere(client, table)) there.push(table);
    if (!isForced) await refuseRows(client, there);
    await client.query(
      `drop table if exists ${[...there, 'beckon_migrations'].map((table) => quoted(table)).join(', ')} cascade`,
    );
    const schema = postgresSession(client);
    await migrate(schema, migrations);
    let insert = '';
    for await (const frame of frames) {
      if ('data' in frame) await client.query(insert, [Buffer.from(frame.data).toString()]);
      else {
        insert = insertInto(frame.part);
        await restartSequences(client, frame.part);
      }
    }
    proof?.check((await client.query(proof.sql)).rows);
    await migrate(schema, known);
    await client.query(NO_WORKERS);
    await client.query('commit');
  } finally {
    await client.end();
  }
};
