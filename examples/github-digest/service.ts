import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createBeckon, newMasterKey } from '@beckon/core';
import { type Client, clientOf } from './client.ts';

/** A running `beckon serve`, called with a secret key of the environment `test`. */
export type Service = Client & {
  readonly orgId: string;
  readonly projectId: string;
  /** Sends SIGTERM and returns the exit code; null if another signal ended it. */
  stop(): Promise<number | null>;
};

type Tenant = { readonly orgId: string; readonly projectId: string; readonly key: string };
type Ready = {
  readonly url: string;
  readonly tenant: {
    readonly org: { readonly id: string };
    readonly project: { readonly id: string };
    readonly keys: readonly { readonly name: string; readonly secret: string }[];
  } | null;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The program that `npx beckon` runs. */
export const CLI = join(ROOT, 'packages/cli/bin/beckon.js');
/** The folder of the service, relative to the checkout. */
export const FOLDER = '.beckon-tour';
const folder = join(ROOT, FOLDER);
const MASTER_KEY = join(folder, 'master.key');
/** Contains the secret key, for the commands that the tour recommends. */
export const KEY_FILE = 'test.key';

const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 30_000;

/**
 * Empties the folder except for the master key: only this key decrypts what an earlier tour left in a PostgreSQL
 * database.
 */
const freshFolder = (): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    if (join(folder, name) !== MASTER_KEY) rmSync(join(folder, name), { recursive: true });
  }
};

const masterKey = (): string => {
  if (!existsSync(MASTER_KEY)) writeFileSync(MASTER_KEY, `${newMasterKey()}\n`, { mode: 0o600 });
  return process.env['BECKON_MASTER_KEY'] ?? readFileSync(MASTER_KEY, 'utf8').trim();
};

/** A shared database gets a new organization for this tour, because no CLI command creates a second one. */
const ownTenant = async (db: string): Promise<Tenant> => {
  const { tenancy, close } = await createBeckon({ db, masterKey: masterKey() });
  try {
    const org = await tenancy.createOrg({ name: `GitHub digest ${new Date().toISOString()}` });
    const project = await tenancy.createProject({ orgId: org.id, name: 'Tour' });
    const grants = [{ orgId: org.id, projectId: project.id }];
    const { secret } = await tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    return { orgId: org.id, projectId: project.id, key: secret };
  } finally {
    await close();
  }
};

const seededTenant = ({ tenant }: Ready): Tenant => {
  const key = tenant?.keys.find(({ name }) => name === 'sk_test')?.secret;
  if (!tenant || key === undefined) throw new Error('beckon serve --dev made no org with keys.');
  return { orgId: tenant.org.id, projectId: tenant.project.id, key };
};

/** What `serve --json` prints once it listens. */
const readyOf = async (stdout: Readable, log: string, abort: () => void): Promise<Ready> => {
  const timer = setTimeout(abort, READY_WITHIN_MS);
  try {
    for await (const line of createInterface({ input: stdout })) {
      const envelope: { readonly success: boolean; readonly data: Ready } = JSON.parse(line);
      if (envelope.success) return envelope.data;
      throw new Error(`beckon serve: ${line}`);
    }
    throw new Error(`beckon serve did not start:\n${readFileSync(log, 'utf8')}`);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Starts the service on a free port of loopback, on its own SQLite file or on a PostgreSQL database that may contain
 * other
 * Beckon data.
 *
 * @param postgres `postgres://...`; undefined: SQLite
 */
export const startService = async (postgres?: string): Promise<Service> => {
  freshFolder();
  const own = postgres === undefined ? undefined : await ownTenant(postgres);
  const log = join(folder, 'serve.log');
  const flags = ['--data-dir', folder, '--port', '0', '--worker', '--json', ...(own ? [] : ['--dev'])];
  // The database URL is passed in the environment: it may contain a password, and command lines are visible to all
  // users.
  const env = {
    ...process.env,
    // Access tokens of end users name it; `--dev` would use the address that it listens on.
    BECKON_PUBLIC_URL: 'https://tour.example',
    BECKON_DB: postgres ?? `sqlite:${join(folder, 'beckon.db')}`,
    // The tour's own webhook receiver listens there; by default the service connects to public addresses only.
    BECKON_NET_ALLOW_CIDRS: '127.0.0.1/32',
  };
  const stdio = ['ignore', 'pipe', openSync(log, 'w')] as const;
  const child = spawn(process.execPath, [CLI, 'serve', ...flags], { cwd: ROOT, env, stdio: [...stdio] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const { stdout } = child;
  if (!stdout) throw new Error('The service was started without a pipe to its output.');
  const ready = await readyOf(stdout, log, kill);
  // Further output must not fill the pipe.
  stdout.resume();
  const { orgId, projectId, key } = own ?? seededTenant(ready);
  writeFileSync(join(folder, KEY_FILE), key, { mode: 0o600 });
  const stop = async (): Promise<number | null> => {
    const timer = setTimeout(kill, STOPPED_WITHIN_MS);
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : [child.exitCode];
    child.kill('SIGTERM');
    const [code] = await ended;
    clearTimeout(timer);
    process.off('exit', kill);
    return code;
  };
  return { orgId, projectId, ...clientOf(ready.url, key), stop };
};
