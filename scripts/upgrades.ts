/*
 * Upgrades under load: node --import ./scripts/source-preload.mjs scripts/upgrades.ts [--engines sqlite,postgres]
 *   [--acknowledgements N] [--old COMMIT|FOLDER]
 *
 * The database of the last release (packages/core/test/fixtures) is served by the program of that release while clients
 * send. On PostgreSQL this program migrates it meanwhile, both serve, and the old one stops; on SQLite the old one stops
 * and this one starts. Everything that was acknowledged must be there once. Then the old program must refuse the database,
 * and this one must restore a backup that the old one wrote. Without an old program, this one does what it can alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import pg from 'pg';
import { execute, fixtureNames, loadFixture } from '../packages/core/test/support/fixtures/files.ts';
import { FIXTURE_MASTER_KEY } from '../packages/core/test/support/fixtures/fill.ts';
import { type PostgresServer, startPostgres } from '../packages/core/test/support/postgres-server.ts';
import { type Load, startLoad } from './upgrades/load.ts';
import { findOldProgram, type OldProgram, versionOf } from './upgrades/old-program.ts';

type Engine = 'sqlite' | 'postgres';
type Row = Readonly<Record<string, unknown>>;
type Server = { readonly url: string; readonly child: ChildProcess };

const { values } = parseArgs({
  options: {
    engines: { type: 'string', default: 'sqlite,postgres' },
    acknowledgements: { type: 'string', default: '2000' },
    old: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const NEW = join(root, 'packages/cli/bin/beckon.js');
const folder = mkdtempSync(join(tmpdir(), 'beckon-upgrades-'));
const count = Number(values.acknowledgements);
/** Ends a run that hangs. */
const HANGS_AFTER_MS = 300_000;
const children = new Set<ChildProcess>();
let failures = 0;

const say = (what: string, value: unknown): void => console.log(`upgrades ${what}: ${value}`);
const check = (what: string, isRight: boolean, detail: unknown = ''): void => {
  if (!isRight) failures += 1;
  say(what, isRight ? 'ok' : `FAILED ${detail}`);
};

const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BECKON_|NODE_OPTIONS)/.test(name))),
  BECKON_MASTER_KEY: FIXTURE_MASTER_KEY,
  BECKON_LOG_LEVEL: 'error',
  BECKON_LIMITS_CALLS_PER_MINUTE: '1000000',
  BECKON_LIMITS_INGEST_PER_SECOND: '1000000',
};

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a command while the clients go on. */
const beckon = async (file: string, args: readonly string[]): Promise<Ended> => {
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, env, timeout: HANGS_AFTER_MS });
  children.add(child);
  child.stdin.end();
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  children.delete(child);
  return { status, stdout, stderr };
};

/** Runs a command that must succeed, and returns its data. */
const succeed = async (file: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = await beckon(file, [...args, '--json']);
  if (status !== 0) throw new Error(`beckon ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return JSON.parse(stdout).data;
};

const start = async (file: string, db: string, args: readonly string[] = []): Promise<Server> => {
  const child = spawn(process.execPath, [file, 'serve', '--db', db, '--port', '0', '--json', ...args], {
    ...{ cwd: folder, env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  if (!child.stdout) throw new Error('the server was started without a pipe to its output');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`beckon serve ended with ${code}`))),
  ]);
  child.stdout.resume();
  return { url: JSON.parse(String(line)).data.url, child };
};

const stop = async ({ child }: Server): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  check('exit code after SIGTERM', code === 0, code);
};

const rowsOf = async (db: string, sql: string): Promise<readonly Row[]> => {
  if (db.startsWith('sqlite:')) {
    const connection = new Database(db.slice('sqlite:'.length), { readonly: true });
    try {
      // Safe: rows are objects, and callers check the types of their columns.
      return connection.prepare(sql).all() as Row[];
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  return client.query<Row>(sql).then(
    ({ rows }) => client.end().then(() => rows),
    (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
};

const untilDrained = async (db: string): Promise<void> => {
  const deadline = performance.now() + HANGS_AFTER_MS;
  const due = (table: string): string => `select count(*) as n from ${table} where due_at is not null`;
  for (;;) {
    const left = await rowsOf(db, ['messages', 'sends'].map(due).join(' union all '));
    if (left.every(({ n }) => Number(n) === 0)) return;
    if (performance.now() > deadline) throw new Error(`work is left: ${JSON.stringify(left)}`);
    await sleep(200);
  }
};

/** Compares what was acknowledged with what the database has. */
const verify = async (engine: Engine, db: string, { acknowledged, refused }: Load): Promise<void> => {
  const stored = await rowsOf(
    db,
    "select message_id as id, count(*) as n from events where event_type = 'upgraded' group by 1",
  );
  const events = new Map(stored.map(({ id, n }) => [String(id), Number(n)]));
  const sent = await rowsOf(
    db,
    'select m.send_id as id, count(*) as n from outbox_messages o join messages m on m.id = o.message_id group by 1',
  );
  const emails = new Map(sent.map(({ id, n }) => [String(id), Number(n)]));
  const lostOf = (ids: readonly string[], found: ReadonlyMap<string, number>): number =>
    ids.filter((id) => !found.has(id)).length;
  const lost = lostOf(acknowledged.events, events) + lostOf(acknowledged.emails, emails);
  const repeatedIn = (found: ReadonlyMap<string, number>): number => [...found.values()].filter((n) => n > 1).length;
  const twice = repeatedIn(events) + repeatedIn(emails);
  say(
    `${engine} load`,
    `acknowledged ${acknowledged.events.length} events and ${acknowledged.emails.length} emails, lost ${lost}, twice ${twice}`,
  );
  check(`${engine} everything acknowledged is there once`, lost === 0 && twice === 0);
  check(`${engine} no request was refused`, refused.size === 0, JSON.stringify(Object.fromEntries(refused)));
};

const readinessOf = async ({ url }: Server): Promise<string> => {
  const response = await fetch(`${url}/readyz`);
  return `${response.status} ${await response.text()}`;
};

/** The new server, on which the load still runs, and the events that the backup must have. */
type Upgraded = { readonly server: Server; readonly inBackup: readonly string[] };

/** The path of an upgrade with the old program. */
const upgrade = async (engine: Engine, db: string, old: OldProgram, load: Load): Promise<Upgraded> => {
  const before = await start(old.file, db);
  load.use([before.url]);
  await load.more(count);
  const inBackup = [...load.acknowledged.events];
  await succeed(old.file, 'backup', join(folder, `${engine}.backup`), '--db', db);
  if (engine === 'sqlite') {
    await stop(before);
    const after = await start(NEW, db);
    load.use([after.url]);
    await load.more(count);
    return { server: after, inBackup };
  }
  const worker = await start(old.file, db, ['--no-worker']);
  load.use([before.url, worker.url]);
  const { applied } = await succeed(NEW, 'migrate', 'up', '--db', db);
  say(`${engine} applied beside the old program`, applied.join(', ') || 'nothing: the schema is the same');
  await load.more(count);
  say(`${engine} readiness of the old program`, (await readinessOf(before)).slice(0, 3));
  const after = await start(NEW, db);
  load.use([before.url, after.url, worker.url]);
  await load.more(count);
  await stop(worker);
  await stop(before);
  load.use([after.url]);
  await load.more(count);
  return { server: after, inBackup };
};

/** The same without an old program: this one migrates, stops and starts again. */
const alone = async (db: string, load: Load): Promise<Upgraded> => {
  const before = await start(NEW, db);
  load.use([before.url]);
  await load.more(count);
  await stop(before);
  const after = await start(NEW, db);
  load.use([after.url]);
  await load.more(count);
  return { server: after, inBackup: [] };
};

const FUTURE = "insert into beckon_migrations (name, checksum, applied_at, version) values ('9999_future', 'x', ";

/** A program that is older than the database ends with a sentence and changes nothing. */
const refuses = async (what: string, file: string, db: string): Promise<void> => {
  const { status, stderr } = await beckon(file, ['serve', '--db', db, '--port', '0']);
  const isRight = status !== 0 && /was migrated by .* does not know: install .* or newer and start again/.test(stderr);
  check(what, isRight, `${status} ${stderr}`);
};

const restore = async (engine: Engine, db: string, file: string, expected: readonly string[]): Promise<void> => {
  await succeed(NEW, 'restore', file, '--db', db);
  const rows = await rowsOf(db, 'select message_id as id from events');
  const found = new Set(rows.map(({ id }) => String(id)));
  check(`${engine} a backup of the old schema restores`, expected.every((id) => found.has(id)) && rows.length > 0);
  const state = await succeed(NEW, 'migrate', 'status', '--db', db);
  check(`${engine} the restored database has this schema`, state.pending.length === 0, JSON.stringify(state));
  const server = await start(NEW, db, ['--no-worker']);
  check(`${engine} the restored database is served`, (await readinessOf(server)).startsWith('200'));
  await stop(server);
};

const tryEngine = async (engine: Engine, old: OldProgram | null, newDb: (name: string) => Promise<string>) => {
  const db = await newDb('main');
  const fixture = fixtureNames().at(-1) ?? '';
  await loadFixture(fixture, engine, db);
  const backup = join(folder, `${engine}.backup`);
  if (old === null) await succeed(NEW, 'backup', backup, '--db', db);
  if (old === null) await succeed(NEW, 'migrate', 'up', '--db', db);
  const { secret } = await succeed(old?.file ?? NEW, 'keys', 'create', '--env', 'test', '--db', db);
  const load = startLoad(secret, `u${engine}`);
  const { server, inBackup } = old === null ? await alone(db, load) : await upgrade(engine, db, old, load);
  await load.stop();
  await untilDrained(db);
  await verify(engine, db, load);
  check(`${engine} readiness`, (await readinessOf(server)).startsWith('200'));
  await stop(server);
  if (old !== null) await refuses(`${engine} the old program refuses the database`, old.file, db);
  await restore(engine, await newDb('restored'), backup, inBackup);
  await execute(db, `${FUTURE}${engine === 'sqlite' ? '1' : 'now()'}, '9.0.0')`);
  await refuses(`${engine} this program refuses a database of version 9.0.0`, NEW, db);
};

let postgres: PostgresServer | undefined;
const placeOf =
  (engine: Engine) =>
  async (name: string): Promise<string> => {
    if (engine === 'sqlite') return `sqlite:${join(folder, `${name}.db`)}`;
    postgres ??= await startPostgres();
    await execute(postgres.url, `create database ${name}`);
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  };

const old = findOldProgram(root, join(folder, 'old'), values.old);
try {
  say(
    'old program',
    old === null
      ? 'none: .releases has no earlier release, and there is no tag v*; name a commit with --old'
      : `${versionOf(old.file)}, ${old.from}`,
  );
  for (const engine of ['sqlite', 'postgres'] as const)
    if (values.engines.split(',').includes(engine)) await tryEngine(engine, old, placeOf(engine));
} finally {
  for (const child of children) child.kill('SIGKILL');
  old?.remove();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
