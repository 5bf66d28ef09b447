import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startContender } from './contender.ts';
import { ID_MARK } from './fixtures.ts';
import { type ClientName, type Options, UsageError } from './options.ts';
import { places } from './places.ts';

/** Open connections, each with one request in flight. Source: performance design, the ingest benchmark. */
export const CONNECTIONS = 64;

export type Load = {
  readonly port: number;
  /** One per project. */
  readonly keys: readonly string[];
  readonly requestsFile: string;
  readonly seconds: number;
  /**
   * Requests per second; absent: each connection sends the next one after the previous response. Only for the built-in
   * client.
   */
  readonly perSecond?: number | undefined;
};
/** Results of the client; requests are responses with a 2xx, failures everything else. */
export type Seen = {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** From `tailOf`; only for the built-in client. */
  readonly steadyP99Ms?: number | undefined;
};
/** One load client for all contenders of a run. */
export type Client = {
  readonly name: string;
  run(load: Load): Promise<Seen>;
  stop(): Promise<void>;
};

const run = promisify(execFile);

const hasWrk = async (): Promise<boolean> => {
  try {
    await run('wrk', ['-v']);
    return true;
  } catch (error) {
    // It answers its version with exit status 1.
    return error instanceof Error && 'code' in error && error.code === 1;
  }
};

type WrkResult = Readonly<
  Record<'requests' | 'refused' | 'broken' | 'durationUs' | 'p50Us' | 'p95Us' | 'p99Us', number>
>;

const wrk: Client = {
  name: `wrk c${CONNECTIONS}`,
  run: async ({ port, keys, requestsFile, seconds }) => {
    const sizes = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '30s'];
    const script = [
      '-s',
      places.wrkScript,
      `http://127.0.0.1:${port}`,
      '--',
      requestsFile,
      String(Date.now() % 2 ** 31),
      ID_MARK,
    ];
    const { stdout } = await run('wrk', [...sizes, ...script, ...keys]);
    const line = /^RESULT (.+)$/m.exec(stdout)?.[1];
    if (line === undefined) throw new Error(`wrk gave no result:\n${stdout}`);
    // Safe: the script beside this file writes this line.
    const result = JSON.parse(line) as WrkResult;
    return {
      requests: result.requests - result.refused,
      failures: result.refused + result.broken,
      seconds: result.durationUs / 1e6,
      p50Ms: result.p50Us / 1e3,
      p95Ms: result.p95Us / 1e3,
      p99Ms: result.p99Us / 1e3,
    };
  },
  stop: async () => undefined,
};

/** A client in a separate process, which lives for the whole run. */
const inProcess = (name: string, program: string, argument: object): Client => {
  const child = startContender(program);
  return {
    name: `${name} c${CONNECTIONS}`,
    run: (load) => child.ask<Seen>('run', { ...load, ...argument, connections: CONNECTIONS }),
    stop: child.stop,
  };
};

const autocannon = (): Client => {
  const folder = join(places.peers, 'node_modules/autocannon');
  if (!existsSync(folder))
    throw new UsageError(
      'autocannon is not installed: npm install --prefix bench/peers --ignore-scripts --no-audit --no-fund',
    );
  return inProcess('autocannon', 'load-autocannon', { folder });
};

const clients: Readonly<Record<ClientName, () => Client>> = {
  wrk: () => wrk,
  autocannon,
  own: () => inProcess('own client', 'load', {}),
};

/**
 * The client for latencies: it sends a request after the previous response, and counts its own measurements. wrk adds
 * samples that it did not send while a response was late.
 */
export const openLatencyClient = (): Client => clients.own();

/** The requested client; else wrk if it is installed, else the built-in one. Throws UsageError. */
export const openClient = async ({ client }: Options): Promise<Client> => {
  const isThere = await hasWrk();
  if (client === 'wrk' && !isThere) throw new UsageError('wrk is not on PATH');
  return clients[client ?? (isThere ? 'wrk' : 'own')]();
};
