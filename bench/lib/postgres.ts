import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../packages/core/test/support/postgres-server.ts';

/** A PostgreSQL server that benchmarks may fill. */
export type Postgres = {
  readonly version: string;
  /**
   * Creates an empty database, or a copy of one without connections, and returns its URL; first drops a database with
   * this name.
   */
  create(name: string, like?: string): Promise<string>;
  /** First column of the first row. */
  value(url: string, sql: string): Promise<unknown>;
  /** Analyzes the tables, as the server does by itself within its first minutes: plans depend on it. */
  analyze(url: string): Promise<void>;
  /** Flushes to disk now, not in another contender's turn. */
  settle(): Promise<void>;
  /** CPU of all its processes so far, in microseconds; NaN if it cannot be read. */
  cpuUs(): number;
  stop(): Promise<void>;
};

/**
 * Memory settings follow the performance design; everything else is the server's default. The server keeps as many WAL
 * files as one that has been up for a while, because each new file delays all commits: measured, 60 ms on a slow disk.
 */
const SETTINGS = { shared_buffers: '1GB', fsync: 'on', synchronous_commit: 'on', min_wal_size: '1GB' };

/** Linux counts in hundredths of a second, whatever the kernel's tick is. */
const TICK_US = 10_000;
// Fields of /proc/<pid>/stat after the name in parentheses: state is the first.
const PARENT = 1;
const TIMES = [11, 12, 13, 14];

const statOf = (pid: string | number): string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // Gone meanwhile, or not on Linux; its usage is in its parent's sum.
    return [];
  }
};

/** CPU of a process, of its living children, and of its ended ones. */
export const familyUs = (pid: number): number => {
  const own = statOf(pid);
  if (own.length === 0) return Number.NaN;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const family = [own, ...children.map(statOf).filter((stat) => Number(stat[PARENT]) === pid)];
  return family.flatMap((stat) => TIMES.map((at) => Number(stat[at] ?? 0) * TICK_US)).reduce((a, b) => a + b, 0);
};

const query = async (url: string, sql: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
};

/** The root process of a server on this machine; NaN for a server elsewhere. */
const postmasterOf = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    const isOurs =
      readdirSync('/proc').includes(String(pid)) && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n';
    return isOurs ? Number(statOf(pid)[PARENT]) : Number.NaN;
  } catch {
    return Number.NaN;
  } finally {
    await client.end();
  }
};

const open = async (url: string, stop: () => Promise<void>): Promise<Postgres> => {
  const version = String(await query(url, 'show server_version'));
  const postmaster = await postmasterOf(url);
  return {
    version,
    create: async (name, like) => {
      await query(url, `drop database if exists ${name} with (force)`);
      await query(url, `create database ${name}${like === undefined ? '' : ` template ${like}`}`);
      const made = new URL(url);
      made.pathname = `/${name}`;
      return made.href;
    },
    value: query,
    analyze: async (one) => {
      await query(one, 'analyze');
    },
    settle: async () => {
      // An external server may not allow it.
      await query(url, 'checkpoint').catch(() => undefined);
    },
    cpuUs: () => familyUs(postmaster),
    stop,
  };
};

/** The server of BECKON_BENCH_PG_URL, else a new one; a sentence if neither is possible. */
export const openPostgres = async (): Promise<Postgres | string> => {
  const given = process.env['BECKON_BENCH_PG_URL'];
  if (given) return open(given, async () => undefined);
  try {
    const server = await startPostgres({ settings: SETTINGS });
    return await open(server.url, server.stop);
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `no server (BECKON_BENCH_PG_URL is not set; ${line})`;
  }
};
