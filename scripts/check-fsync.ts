/*
 * Checks that a response comes after fsync: runs the server on a SQLite file under strace and reads the order of its
 * system calls. Every 2xx of POST /events must come after an fdatasync of the write-ahead log that itself came after a
 * write with that event's id. A second run with `durability=process`, which does not promise this, must fail the check:
 * it proves that this program detects the difference.
 *
 * Use: node scripts/check-fsync.ts. Prints one line; exit code 0 if both runs had the expected result.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../packages/cli/bin/beckon.js', import.meta.url));
const CALLS = 'fdatasync,fsync,pwrite64,pwritev,write,writev,sendto,sendmsg';
/** More than a page of the log, which is the most that one write contains. */
const SHOWN_BYTES = 8_192;
const SEQUENTIAL = 20;
const CONCURRENT = 200;
const CONNECTIONS = 20;
/** Chosen: a traced server is several times slower than an ordinary one. */
const WITHIN_MS = 60_000;
/** Chosen: the end of a trace is written within milliseconds. */
const WRITTEN_TRIES = 100;
const WRITTEN_LOOK_MS = 50;
const TAIL_BYTES = 4_096;

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()/;
const WAL = /^\d+ +\w+\(\d+<[^>]*-wal>/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ACCEPTED = /"HTTP\/1\.1 2\d\d .*\\"id\\":\\"([0-9a-f-]{36})\\",\\"accepted\\":true/;

type Found = { answers: number; syncs: number; tooEarly: string[] };

/** Reads a trace line by line. A call that strace split begins at its first line and ends at its second. */
const judge = async (trace: string): Promise<Found> => {
  const found: Found = { answers: 0, syncs: 0, tooEarly: [] };
  const durable = new Set<string>();
  let written = new Set<string>();
  /** Threads that wait in a sync of the log, with what had been written when it began. */
  const syncing = new Map<string, Set<string>>();
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const [, thread = '', resumed, begun] = LINE.exec(line) ?? [];
    const isSync = /^f(data)?sync$/.test(resumed ?? begun ?? '');
    if (begun !== undefined && isSync && WAL.test(line)) {
      syncing.set(thread, written);
      written = new Set();
    }
    if (isSync && / = 0$/.test(line)) {
      for (const id of syncing.get(thread) ?? []) durable.add(id);
      if (syncing.delete(thread)) found.syncs += 1;
    }
    if (begun?.startsWith('pwrite') && WAL.test(line)) for (const [id] of line.matchAll(UUID)) written.add(id);
    const answered = ACCEPTED.exec(line)?.[1];
    if (answered === undefined) continue;
    found.answers += 1;
    if (!durable.has(answered)) found.tooEarly.push(answered);
  }
  return found;
};

/** The tracer may end after the traced program; its last line about the server is that it is gone. */
const stop = async (server: ChildProcess, file: string): Promise<void> => {
  const isOver = server.exitCode !== null || server.signalCode !== null;
  server.kill('SIGTERM');
  if (!isOver) await once(server, 'exit');
  const last = new RegExp(`^${server.pid} +\\+\\+\\+ exited`, 'm');
  for (let tries = 0; !last.test(readFileSync(file, 'latin1').slice(-TAIL_BYTES)); tries += 1) {
    if (tries === WRITTEN_TRIES) throw new Error('the trace has no end');
    await sleep(WRITTEN_LOOK_MS);
  }
};

const listening = async (server: ChildProcess): Promise<string> => {
  if (!server.stdout) throw new Error('the server has no output');
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened; strace may not be allowed here');
};

const post = async (base: string, key: string, at: number): Promise<void> => {
  const response = await fetch(`${base}/api/v1/events`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ module: 'shop', eventType: 'seen', userId: `u${at % 50}`, messageId: `m${at}` }),
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  if (response.status !== 200) throw new Error(`event ${at} was answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
};

const load = async (base: string, key: string): Promise<void> => {
  for (let at = 0; at < SEQUENTIAL; at += 1) await post(base, key, at);
  let next = SEQUENTIAL;
  const connection = async (): Promise<void> => {
    while (next < SEQUENTIAL + CONCURRENT) await post(base, key, next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
};

// The caller's variables must not configure the program under test.
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BECKON_|NODE_OPTIONS)/.test(name)));

const trace = async (durability: 'full' | 'process'): Promise<Found> => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-fsync-'));
  const file = join(folder, 'trace');
  const env = { ...cleanEnv(), BECKON_DURABILITY: durability, BECKON_LOG_LEVEL: 'warn' };
  let server: ChildProcess | undefined;
  const guard = setTimeout(() => server?.kill('SIGKILL'), WITHIN_MS);
  try {
    const made = JSON.parse(
      execFileSync(process.execPath, [BIN, 'init', '--json'], {
        cwd: folder,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    const key: string = made.data.keys.find(({ name }: { name: string }) => name === 'sk_test').secret;
    // -D: the server stays our child, so that signals reach it.
    const strace = ['-D', '-f', '-y', '-q', '-s', String(SHOWN_BYTES), '-e', `trace=${CALLS}`, '-e', 'signal=none'];
    const command = [...strace, '-o', file, process.execPath, BIN, 'serve', '--port', '0'];
    server = spawn('strace', command, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(server, 'spawn');
    await load(await listening(server), key);
    await stop(server, file);
    return await judge(file);
  } finally {
    clearTimeout(guard);
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
};

const check = async (): Promise<boolean> => {
  const full = await trace('full');
  const control = await trace('process');
  const all = SEQUENTIAL + CONCURRENT;
  console.log(
    `fsync before the answer: ${full.answers} of ${all} answers seen, ${full.syncs} syncs of the log, ` +
      `${full.tooEarly.length} answers too early; control without syncs: ${control.tooEarly.length} too early`,
  );
  const isRight = full.answers === all && full.tooEarly.length === 0;
  return isRight && control.answers === all && control.tooEarly.length > 0;
};

const isFine = await check().catch((error: unknown) => {
  console.error(`fsync before the answer: not checked, ${error instanceof Error ? error.message : error}`);
  return false;
});
process.exitCode = isFine ? 0 : 1;
