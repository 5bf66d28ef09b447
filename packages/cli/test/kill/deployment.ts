import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type BundleInput, createBeckon, newMasterKey } from '@beckon/core';
import Database from 'better-sqlite3';
import pg from 'pg';
import { inject } from 'vitest';
import { place, type Running } from '../beckon.ts';

export type Engine = 'sqlite' | 'postgres';

/** A database with one project, and the programs that run on it. */
export type Deployment = {
  readonly engine: Engine;
  readonly url: string;
  readonly masterKey: string;
  /** A secret key of environment `test`. */
  readonly key: string;
  /** The same of environment `prod`. */
  readonly prodKey: string;
  readonly project: { readonly orgId: string; readonly projectId: string };
  /**
   * Rows of a statement that works on both databases. On SQLite the file is opened only for this statement, so that only
   * the killed programs keep it open.
   */
  query<Row>(text: string): Promise<Row[]>;
  /**
   * Starts the program on this database, without a wrapper process.
   *
   * @param env additional variables, or another master key
   */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
  /** Integrity errors of the database, after all programs have ended. */
  damage(): Promise<string[]>;
  remove(): Promise<void>;
};

type Opened = Pick<Deployment, 'url' | 'query' | 'damage'> & { remove(): Promise<void> };

const openSqlite = (folder: string): Opened => {
  const file = join(folder, 'beckon.db');
  // Safe: callers write the statement and its row type side by side.
  const read = <Row>(text: string): Row[] => {
    const connection = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return connection.prepare(text).all() as Row[];
    } finally {
      connection.close();
    }
  };
  return {
    url: `sqlite:${file}`,
    query: async (text) => read(text),
    damage: async () => {
      const connection = new Database(file, { fileMustExist: true });
      const found = connection.pragma('integrity_check', { simple: true });
      connection.close();
      return found === 'ok' ? [] : [String(found)];
    },
    remove: async () => undefined,
  };
};

/** Ignores idle connection errors: the next statement reports them. */
const quiet = (error: Error): void => void error;

const openPostgres = async (server: string): Promise<Opened> => {
  const name = `kill_${randomUUID().replaceAll('-', '')}`;
  const onServer = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await onServer(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', quiet);
  return {
    url: url.href,
    query: async (text) => (await pool.query(text)).rows,
    damage: async () => [],
    remove: async () => {
      await pool.end();
      await onServer(`drop database ${name} with (force)`);
    },
  };
};

/** Rate limits that allow all calls of a round from one client. */
const LIMITS = { BECKON_LIMITS_CALLS_PER_MINUTE: '1000000', BECKON_LIMITS_INGEST_PER_SECOND: '1000000' };

type Made = Pick<Deployment, 'key' | 'prodKey' | 'project'>;

const makeProject = async (url: string, masterKey: string, given: readonly object[]): Promise<Made> => {
  const beckon = await createBeckon({ db: url, masterKey });
  try {
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'Shop' });
    const scope = { orgId: org.id, projectId: project.id };
    const keyOf = async (environment: 'test' | 'prod'): Promise<string> =>
      (await beckon.tenancy.createKey({ kind: 'secret', environment, grants: [scope] })).secret;
    const made = { key: await keyOf('test'), prodKey: await keyOf('prod'), project: scope };
    // Proof of the cast: the import rejects invalid workflows.
    const workflows = given as BundleInput['workflows'];
    const own = await beckon.tenancy.project(scope);
    await beckon.workflows.importBundle(own, { version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows });
    return made;
  } finally {
    await beckon.close();
  }
};

/** Location of a database, and how programs connect. */
type Elsewhere = {
  /** PostgreSQL server; default: that of the tests. */
  readonly server?: string;
  /** Rewrites the URL for programs. */
  readonly seenAs?: (url: string) => string;
  /** Folder of the SQLite file, from the folder of the programs. */
  readonly folder?: (cwd: string) => string;
};

/** Creates a database with an organization, a project, keys and these workflows. */
export const deploy = async (
  engine: Engine,
  workflows: readonly object[],
  { server, seenAs = (url) => url, folder = (cwd) => cwd }: Elsewhere = {},
): Promise<Deployment> => {
  const at = place();
  const masterKey = newMasterKey();
  let opened: Opened | undefined;
  const remove = async (): Promise<void> => {
    await at.remove();
    await opened?.remove();
  };
  try {
    opened = engine === 'sqlite' ? openSqlite(folder(at.cwd)) : await openPostgres(server ?? inject('postgresUrl'));
    const { url, query, damage } = opened;
    const made = await makeProject(url, masterKey, workflows);
    const start: Deployment['start'] = (args, env) =>
      at.start([...args, '--db', seenAs(url)], { env: { BECKON_MASTER_KEY: masterKey, ...LIMITS, ...env } });
    return { engine, url, masterKey, ...made, query, damage, start, remove };
  } catch (error) {
    await remove();
    throw error;
  }
};

/** The URL of a started server. Rejects if it ends first. */
export const urlOf = async (server: Running): Promise<string> =>
  (await server.says(/listening on (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';

/** Kills a program with SIGKILL; resolves when its files and sockets are closed. */
export const killNine = async ({ child, ended }: Running): Promise<void> => {
  child.kill('SIGKILL');
  await ended;
};
