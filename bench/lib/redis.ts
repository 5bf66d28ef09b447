import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyUs } from './postgres.ts';

/** A Redis server for this run only. */
export type Redis = {
  readonly version: string;
  readonly url: string;
  /** CPU so far, in microseconds; NaN if it cannot be read. */
  cpuUs(): number;
  stop(): Promise<void>;
};

/** Chosen: it starts in a few milliseconds. */
const READY_WITHIN_MS = 10_000;
/** Stops the server when standard input ends, so that it never outlives the run, even a killed one. */
const GUARD = 'exec 3<&0; "$@" </dev/null & s=$!; (cat <&3; kill $s) >/dev/null 2>&1 & wait $s';

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      // Safe: it listens on a port, so its address is neither null nor a path.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', (bytes) => end(bytes.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
  });

/** Starts one with an append-only file that is synced each second; a sentence if Redis is not installed. */
export const openRedis = async (): Promise<Redis | string> => {
  const said = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (said.status !== 0) return 'redis-server is not on PATH';
  const folder = mkdtempSync(join(tmpdir(), 'beckon-redis-'));
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const child = spawn('sh', ['-c', GUARD, 'sh', 'redis-server', ...settings, ...durable], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  const lateMs = performance.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > lateMs) {
      await stop();
      return 'redis-server did not start';
    }
    await sleep(20);
  }
  const version = /v=(\S+)/.exec(said.stdout)?.[1] ?? 'unknown';
  return { version, url: `redis://127.0.0.1:${port}`, cpuUs: () => familyUs(child.pid ?? 0), stop };
};
