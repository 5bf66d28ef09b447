import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import type { Io } from '../io.ts';
import type { Services } from '../services.ts';
import { type Finding, finding } from './finding.ts';

/** Timeout of the public URL, in milliseconds. Chosen. */
const ANSWER_MS = 5_000;
/** Clock difference that doctor warns about, in milliseconds. Chosen: far below the 5 min of signatures; `Date` headers round to 1 s. */
const MAX_SKEW_MS = 30_000;
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** True if another program listens on the address of the server. */
const isPortInUse = async (host: string, port: number): Promise<boolean> => {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    return true;
  }
  server.close();
  return false;
};

const portFinding = async ({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> => {
  const at = `${host}, port ${port}`;
  const isBusy = port !== 0 && (await isPortInUse(host, port));
  return finding('network', 'port', 'ok', isBusy ? `${at} is in use, by the server if it runs` : `${at} is free`);
};

/** Compares the clock with the `Date` header of the public URL, which has whole seconds. */
const clockFinding = (date: string | null, now: Date): Finding => {
  const remote = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(remote)) return finding('network', 'clock', 'skip', 'the response has no Date header');
  const aheadSeconds = Math.round((now.getTime() - remote) / 1_000);
  const isFine = Math.abs(now.getTime() - remote) < MAX_SKEW_MS;
  const message = `this machine is ${aheadSeconds} s ahead of the public URL`;
  return finding('network', 'clock', isFine ? 'ok' : 'warn', isFine ? message : `${message}: timedatectl set-ntp true`);
};

const reached = async (url: string, fetch: Services['fetch'], now: () => Date): Promise<Finding[]> => {
  try {
    const answer = await fetch(new URL('/healthz', url), {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
    });
    await answer.body?.cancel();
    const state = answer.ok ? 'ok' : 'fail';
    return [
      finding('network', 'reachable', state, `${url} answers ${answer.status} for /healthz`),
      clockFinding(answer.headers.get('date'), now()),
    ];
  } catch {
    return [finding('network', 'reachable', 'fail', `${url} does not answer: check the server and the reverse proxy`)];
  }
};

/** Checks of the listen address and the public URL. Throws nothing. */
export const networkFindings = async (
  config: Pick<Config, 'host' | 'port' | 'publicUrl'>,
  { fetch, now }: Pick<Services, 'fetch'> & Pick<Io, 'now'>,
  isOnline: boolean,
): Promise<Finding[]> => {
  const { publicUrl } = config;
  const port = await portFinding(config);
  if (publicUrl === undefined) {
    const why = 'not set: tracked links and delivery webhooks need it';
    return [port, finding('network', 'publicUrl', 'warn', why)];
  }
  const { protocol, host } = new URL(publicUrl);
  const isOpen = protocol === 'http:' && !LOOPBACK.test(host);
  return [
    port,
    finding(
      'network',
      'publicUrl',
      isOpen ? 'warn' : 'ok',
      isOpen ? `${publicUrl} is unencrypted: use https` : publicUrl,
    ),
    ...(isOnline
      ? await reached(publicUrl, fetch, now)
      : [finding('network', 'reachable', 'skip', 'not checked: pass --network')]),
  ];
};
