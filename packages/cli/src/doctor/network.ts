import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import type { Io } from '../io.ts';
import type { Services } from '../services.ts';
import { type Finding, finding } from './finding.ts';

/** How long the public URL may take, in milliseconds; ours. */
const ANSWER_MS = 5_000;
/** How far clocks may be apart, in milliseconds: signatures of five minutes, and what `Date` rounds; ours. */
const MUCH_SKEW_MS = 30_000;
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** Whether something listens where the service would. */
const isTaken = async (host: string, port: number): Promise<boolean> => {
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
  const isBusy = port !== 0 && (await isTaken(host, port));
  return finding('network', 'port', 'ok', isBusy ? `${at} is taken: by the service, if it runs` : `${at} is free`);
};

/** What whoever answers there takes the time for; their words are whole seconds. */
const clockFinding = (date: string | null, now: Date): Finding => {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return finding('network', 'clock', 'skip', 'the answer does not say what time it is there');
  const aheadSeconds = Math.round((now.getTime() - theirs) / 1_000);
  const isFine = Math.abs(now.getTime() - theirs) < MUCH_SKEW_MS;
  const said = `this machine's is ${aheadSeconds} s ahead of what answers there`;
  return finding('network', 'clock', isFine ? 'ok' : 'warn', isFine ? said : `${said}: timedatectl set-ntp true`);
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
    return [
      finding('network', 'reachable', 'fail', `${url} does not answer from here: is the service up, and the proxy?`),
    ];
  }
};

/** Where the service listens, and where people and providers find it. Throws nothing. */
export const networkFindings = async (
  config: Pick<Config, 'host' | 'port' | 'publicUrl'>,
  { fetch, now }: Pick<Services, 'fetch'> & Pick<Io, 'now'>,
  isAsking: boolean,
): Promise<Finding[]> => {
  const { publicUrl } = config;
  const port = await portFinding(config);
  if (publicUrl === undefined) {
    const why = 'is not set: links of tracked mails and reports of providers need it';
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
      isOpen ? `${publicUrl} is not encrypted: use https` : publicUrl,
    ),
    ...(isAsking
      ? await reached(publicUrl, fetch, now)
      : [finding('network', 'reachable', 'skip', 'asked with --network')]),
  ];
};
