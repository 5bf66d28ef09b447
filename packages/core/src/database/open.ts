import type { Pool } from 'pg';
import type { Clock } from '../foundation/clock.ts';
import { compact } from '../foundation/compact.ts';
import { contained } from '../foundation/contained.ts';
import type { DialectName } from './dialect-name.ts';
import { storageError, storageErrors } from './errors.ts';
import { type Migration, migrate, type SchemaState, schemaState } from './migrate.ts';
import { shippedMigrations } from './migrations.ts';
import type { StorageObserver } from './observer.ts';
import type { PostgresPool } from './postgres/host.ts';
import type { PoolRights } from './postgres/open.ts';
import type { Durability } from './sqlite/connection.ts';
import type { Storage } from './storage.ts';

export type OpenOptions = {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://...`. */
  readonly url: string;
  /** Replaces the database's clock for leases and due times; for tests. */
  readonly clock?: Clock | undefined;
  readonly observer?: StorageObserver | undefined;
  /** SQLite only. `full` survives a power loss, `process` only the death of the process. */
  readonly durability?: Durability | undefined;
  /** SQLite only: the file may be a symbolic link, and others may write into its folder. */
  readonly trustPath?: boolean | undefined;
  /** PostgreSQL only: maximum connections; at least 2, since one listens. */
  readonly poolSize?: number | undefined;
  /** PostgreSQL only: false behind a pooler that assigns a session per transaction. */
  readonly preparedNames?: boolean | undefined;
  /** Replaces the migrations that ship with the program; for tests. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Called with errors of background work (a lost listening connection, a failed idle copy of the log). */
  readonly onError?: ((error: unknown) => void) | undefined;
};

type Options = Omit<OpenOptions, 'url'>;

/** Connections of a pool: node-postgres's default. */
const POOL_SIZE = 10;
/** How long a statement waits for a connection before it fails as unavailable. Source: the ingest budget. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Silence after which TCP probes the peer. Chosen: a third of a lease. */
const KEEP_ALIVE_MS = 10_000;
/** Timeout of a probe of the server. Chosen. */
const PROBE_TIMEOUT_MS = 3_000;

/** A database that is reachable but may not be migrated yet. */
export type OpenDatabase = {
  readonly dialect: DialectName;
  state(): Promise<SchemaState>;
  /** Returns the applied names. Throws SchemaError. */
  migrate(): Promise<readonly string[]>;
  readonly storage: Storage;
};

const openSqlite = async (path: string, options: Options): Promise<OpenDatabase> => {
  const { openConnection } = await import('./sqlite/connection.ts');
  const { prepareFile } = await import('./sqlite/file.ts');
  const { connectionMutex, fileMutex } = await import('./sqlite/mutex.ts');
  const { sqliteMigratable } = await import('./sqlite/migrate.ts');
  const { sqliteStorage } = await import('./sqlite/open.ts');
  const { sqliteReaders } = await import('./sqlite/readers.ts');
  if (path !== ':memory:') prepareFile(path, options.trustPath ?? false);
  const connection = openConnection(path, options.durability ?? 'full');
  const mutex = path === ':memory:' ? connectionMutex() : fileMutex(path);
  const database = sqliteMigratable(connection, mutex);
  const known = options.migrations ?? shippedMigrations('sqlite');
  const { clock, observer, onError } = options;
  return {
    dialect: 'sqlite',
    state: () => schemaState(database, known),
    migrate: () => migrate(database, known),
    storage: sqliteStorage(connection, mutex, {
      readers: path === ':memory:' ? null : sqliteReaders(path),
      ...(clock ? { clock } : {}),
      ...(observer ? { observer } : {}),
      ...(onError ? { onError } : {}),
    }),
  };
};

/** A pool of Beckon's own, or the host's, which is returned unchanged. */
type OpenedPool = { readonly pool: Pool; readonly rights: PoolRights };

const ownPool = async (url: string, options: Options, onError: (error: unknown) => void): Promise<OpenedPool> => {
  const poolSize = options.poolSize ?? POOL_SIZE;
  if (poolSize < 2) throw new TypeError('poolSize must be at least 2: one connection listens for wake-up signals');
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('PostgreSQL needs the package "pg": npm install pg', { cause });
  });
  const { askServer, watchSilence } = await import('./postgres/silent.ts');
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  pool.on('error', onError);
  const newClient = () =>
    new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    });
  const unwatch = watchSilence(pool, askServer(newClient));
  const end = (): Promise<void> => {
    unwatch();
    return pool.end();
  };
  return { pool, rights: { isLent: false, end } };
};

/** Rejects a host's pool with custom parsers, since times and objects would be read wrongly. */
const checkParsers = async (pool: PostgresPool): Promise<void> => {
  const { rows } = await storageErrors.around(pool.query(`select now() as "time", '{"a":1}'::jsonb as "json"`));
  const row: unknown = rows[0];
  const read = (name: string): unknown =>
    typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
  if (!(read('time') instanceof Date) || typeof read('json') !== 'object')
    throw new TypeError("the pool must keep node-postgres's own parsers for timestamptz and jsonb");
};

const hostPool = async (
  lentPool: PostgresPool,
  { poolSize }: Options,
  onError: (error: unknown) => void,
): Promise<OpenedPool> => {
  if (poolSize !== undefined) throw new TypeError('poolSize is for a pool of our own: the host has made this one');
  const sizes: unknown = Reflect.get(lentPool, 'options');
  const max: unknown = typeof sizes === 'object' && sizes !== null ? Reflect.get(sizes, 'max') : undefined;
  if (typeof max === 'number' && max < 2) throw new TypeError('the pool needs 2 connections: one listens for wake-ups');
  await checkParsers(lentPool);
  lentPool.on('error', onError);
  // Safe: it has the shape of a pool, and only members of that shape are used.
  const pool = lentPool as unknown as Pool;
  return { pool, rights: { isLent: true, end: async () => void lentPool.off('error', onError) } };
};

const openPostgres = async (db: string | PostgresPool, options: Options): Promise<OpenDatabase> => {
  const { postgresMigratable } = await import('./postgres/migrate.ts');
  const { postgresStorage } = await import('./postgres/open.ts');
  const { listenToLent } = await import('./postgres/lent-errors.ts');
  const { postgresWake } = await import('./postgres/wake.ts');
  // The driver's own error would contain the whole connection and its running statement.
  const onError = contained((error: unknown) => options.onError?.(storageError(error)));
  const { pool, rights } = await (typeof db === 'string'
    ? ownPool(db, options, onError)
    : hostPool(db, options, onError));
  const stopListening = listenToLent(pool);
  const end = async (): Promise<void> => {
    await rights.end();
    stopListening();
  };
  const database = postgresMigratable(pool);
  const known = options.migrations ?? shippedMigrations('postgres');
  const { clock, observer, preparedNames } = options;
  return {
    dialect: 'postgres',
    state: () => schemaState(database, known),
    migrate: () => migrate(database, known),
    storage: postgresStorage(
      pool,
      postgresWake(pool, onError, { listens: preparedNames ?? true }),
      { ...rights, end },
      {
        ...(clock ? { clock } : {}),
        ...(observer ? { observer } : {}),
        ...compact({ preparedNames }),
      },
    ),
  };
};

/**
 * Opens a database by its URL. A SQLite file is opened once per process: a second storage would block the whole process
 * while the first one has a transaction open. Throws TypeError for another kind of URL, and errors of the driver.
 */
export const openDatabase = (options: OpenOptions): Promise<OpenDatabase> => {
  const { url } = options;
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, options);
  throw new TypeError('db must be sqlite:PATH, sqlite::memory: or postgres://USER@HOST/DATABASE');
};

/** Opens PostgreSQL on a pool of the host, which closing leaves open. Throws TypeError for a pool of one connection. */
export const openPool = (pool: PostgresPool, options: Omit<OpenOptions, 'url'> = {}): Promise<OpenDatabase> =>
  openPostgres(pool, options);
