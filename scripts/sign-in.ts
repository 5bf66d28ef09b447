/* Sign-in under load and races, for `npm run campaign -- sign-in [READERS [PART...]]`. Prints figures; none of them decides alone. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../bench/lib/child.ts';
import { median, quantile } from '../bench/lib/statistics.ts';
import { startRelay } from '../packages/core/test/support/transports/smtp-server.ts';
import type { Started, StartInput } from './sign-in-server.ts';

const [readersText = '100000', ...chosen] = process.argv.slice(2);
const READERS = Number(readersText);
const TRIES = 200;
const CLIENTS = 200;
const LOAD_MS = 8_000;
/** Interval of refreshes. Source: auth.md, section 9. */
const REFRESH_EVERY_MS = 20;
/** A client that was refused waits this long, so that 200 of them are as many as people who try again. Chosen. */
const PAUSE_MS = 500;
const CALLS = 1_000;
const PARALLEL = 8;
const ROUNDS = 3;
const SIGN_UPS = 40;
const SIGN_UP_EVERY_MS = 250;
const PASSWORD = 'correct horse battery staple';

type Answer = { readonly status: number; readonly ms: number; readonly retryAfter: number | null; readonly data: Data };
// Safe: the routes that are called answer with these members.
type Data = Readonly<Record<string, string>>;

const print = (text: string): void => console.log(`sign-in ${text}`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const p99Of = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.99,
  );

const folder = mkdtempSync(join(tmpdir(), 'beckon-sign-in-'));
const relay = await startRelay({ shop: 'relay-password' });
const child = fork(new URL('./sign-in-server.ts', import.meta.url).pathname, {
  execArgv: ['--import', './scripts/source-preload.mjs'],
});
let lastId = 0;
const ask = <Value>(command: string, argument?: unknown): Promise<Value> =>
  new Promise((resolve, reject) => {
    lastId += 1;
    const id = lastId;
    const onMessage = (message: unknown): void => {
      // Safe: only `answerParent` writes to this channel.
      const reply = message as Reply;
      if (reply.id !== id) return;
      child.off('message', onMessage);
      // Safe: the caller names the type that the command of the server returns.
      if (reply.error === undefined) resolve(reply.value as Value);
      else reject(new Error(reply.error));
    };
    child.on('message', onMessage);
    child.send({ id, command, argument });
  });

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS + PARALLEL });
const { url, key, prodKey } = await ask<Started>('start', {
  db: `sqlite:${join(folder, 'beckon.db')}`,
  relayPort: relay.port,
} satisfies StartInput);

let calls = 0;
/** Calls a route; each call comes from another address, since attempts are counted by address. */
const call = (
  method: 'GET' | 'POST',
  path: string,
  { body, token, apiKey = key }: { body?: unknown; token?: string; apiKey?: string } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    calls += 1;
    const text = body === undefined ? '' : JSON.stringify(body);
    const begun = performance.now();
    const sent = request(
      `${url}/api/v1${path}`,
      {
        ...{ method, agent },
        headers: {
          ...{ 'x-api-key': apiKey, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
          'x-forwarded-for': `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const took = performance.now() - begun;
          const { data = {} } = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
          const retryAfter = response.headers['retry-after'];
          resolve({
            ...{ status: response.statusCode ?? 0, ms: took, data },
            retryAfter: retryAfter === undefined ? null : Number(retryAfter),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
const auth = (path: string, body: unknown, apiKey = key): Promise<Answer> =>
  call('POST', `/auth-service${path}`, { body, apiKey });
const login = (email: string, password = PASSWORD): Promise<Answer> => auth('/login', { email, password });
const userAt = (name: string, at: number): string => `${name}-${at}@example.com`;

/** E2: known and unknown addresses in turn, so that other work of the server falls on both alike. */
const medians = async (): Promise<void> => {
  const routes: Readonly<Record<string, (email: string) => object>> = {
    '/login': (email) => ({ email, password: 'a wrong password' }),
    '/password/forgot': (email) => ({ email }),
    '/email/verification': (email) => ({ email }),
    '/signup': (email) => ({ email, password: PASSWORD }),
    '/login/magic-link': (email) => ({ email, redirectTo: 'https://app.example.com/auth' }),
    '/login/email-otp': (email) => ({ email }),
  };
  for (const [path, bodyOf] of Object.entries(routes)) {
    if ((await auth(path, bodyOf('probe@example.com'))).status === 404) continue;
    const name = `known${path.replaceAll('/', '-')}`;
    await ask('users', { name, count: TRIES, password: PASSWORD });
    const took: { readonly known: number[]; readonly unknown: number[] } = { known: [], unknown: [] };
    const statuses = new Set<number>();
    for (let at = 0; at < TRIES; at += 1)
      for (const kind of at % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        const answer = await auth(path, bodyOf(kind === 'known' ? userAt(name, at) : userAt(`nobody${name}`, at)));
        took[kind].push(answer.ms);
        statuses.add(answer.status);
      }
    const [known, unknown] = [median(took.known), median(took.unknown)];
    const apart = (100 * Math.abs(known - unknown)) / Math.max(known, unknown);
    print(
      `median ${path}: known ${ms(known)}, unknown ${ms(unknown)}, ${apart.toFixed(1)} % apart (goal 10), status ${[...statuses].join(' and ')}`,
    );
  }
};

/** Refreshes one session after the other, at a fixed rate. */
const refreshes = async (tokens: string[], forMs: number): Promise<readonly number[]> => {
  const took: number[] = [];
  const pending: Promise<void>[] = [];
  const end = performance.now() + forMs;
  for (let at = 0; performance.now() < end; at += 1) {
    const index = at % tokens.length;
    pending.push(
      auth('/token/refresh', { refreshToken: tokens[index] }).then((answer) => {
        if (answer.status !== 200) throw new Error(`a refresh was answered ${answer.status}`);
        tokens[index] = answer.data['refreshToken'] ?? '';
        took.push(answer.ms);
      }),
    );
    await sleep(REFRESH_EVERY_MS);
  }
  await Promise.all(pending);
  return took;
};

/** B1 to B3. */
const load = async (): Promise<void> => {
  await ask('users', { name: 'client', count: CLIENTS, password: PASSWORD });
  const tokens: string[] = [];
  for (let at = 0; at < CLIENTS; at += 1) tokens.push((await login(userAt('client', at))).data['refreshToken'] ?? '');
  await refreshes(tokens, LOAD_MS / 4);
  const idle = p99Of(await refreshes(tokens, LOAD_MS));
  const end = performance.now() + LOAD_MS;
  const [signedIn, shed, retries]: [number[], number[], number[]] = [[], [], []];
  const client = async (at: number): Promise<void> => {
    while (performance.now() < end) {
      const answer = await login(userAt('client', at));
      if (answer.status === 200) signedIn.push(answer.ms);
      else {
        if (answer.status !== 503) throw new Error(`a sign-in was answered ${answer.status}`);
        shed.push(answer.ms);
        retries.push(answer.retryAfter ?? Number.NaN);
        await sleep(PAUSE_MS);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, at) => client(at));
  const busy = await refreshes(tokens, LOAD_MS);
  await Promise.all(clients);
  const p99 = p99Of(busy);
  print(
    `refresh p99: idle ${ms(idle)}, under ${CLIENTS} clients ${ms(p99)}, ${(p99 / idle).toFixed(1)} times (at most 5, goal 3), p50 ${ms(median(busy))}`,
  );
  print(
    `under ${CLIENTS} clients: ${signedIn.length} signed in, p50 ${ms(median(signedIn))}, p99 ${ms(p99Of(signedIn))}`,
  );
  print(
    `shed: ${shed.length}, p50 ${ms(median(shed))} (goal 50), Retry-After ${Math.min(...retries)} to ${Math.max(...retries)} s (5 to 30)`,
  );
};

/** CPU of the server for each of many calls, in microseconds. */
const cpuOf = async (work: (client: number) => Promise<unknown>): Promise<number> => {
  const before = await ask<number>('cpuUs');
  await Promise.all(
    Array.from({ length: PARALLEL }, async (_, client) => {
      for (let at = 0; at < CALLS / PARALLEL; at += 1) await work(client);
    }),
  );
  return ((await ask<number>('cpuUs')) - before) / CALLS;
};

const cpu = async (): Promise<void> => {
  const tokens: string[] = [];
  await ask('users', { name: 'cpu', count: PARALLEL, password: PASSWORD });
  for (let at = 0; at < PARALLEL; at += 1) tokens.push((await login(userAt('cpu', at))).data['refreshToken'] ?? '');
  const event = (client: number) =>
    call('POST', '/events', { body: { eventType: 'viewed', module: 'shop', userId: `user-${client}` } });
  const refresh = async (client: number) => {
    const { data } = await auth('/token/refresh', { refreshToken: tokens[client] });
    tokens[client] = data['refreshToken'] ?? '';
  };
  const series: { readonly refresh: number[]; readonly bearer: number[]; readonly event: number[] } = {
    ...{ refresh: [], bearer: [], event: [] },
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const one = {
      event: await cpuOf(event),
      refresh: await cpuOf(refresh),
      bearer: await ask<number>('bearerCpuUs', { email: userAt('cpu', 0), password: PASSWORD, count: CALLS }),
    };
    // The first round warms up.
    if (round > 0) for (const name of ['event', 'refresh', 'bearer'] as const) series[name].push(one[name]);
  }
  const [ofEvent, ofRefresh, ofBearer] = [median(series.event), median(series.refresh), median(series.bearer)];
  print(
    `CPU: POST /events ${ofEvent.toFixed(0)} us, refresh ${ofRefresh.toFixed(0)} us = ${(ofRefresh / ofEvent).toFixed(2)} (goal 1.0), bearer check ${ofBearer.toFixed(0)} us = ${(ofBearer / ofEvent).toFixed(2)} (goal 0.3)`,
  );
};

/** Parallel calls of which one, or a few, may succeed. */
const races = async (): Promise<void> => {
  const inParallel = async (count: number, work: () => Promise<Answer>): Promise<number> =>
    (await Promise.all(Array.from({ length: count }, work))).filter(({ status }) => status < 300).length;
  await ask('users', { name: 'race', count: 1, password: PASSWORD });
  const { refreshToken } = (await login(userAt('race', 0))).data;
  const refreshed = await inParallel(50, () => auth('/token/refresh', { refreshToken }));
  const email = `${randomUUID()}@example.com`;
  await inParallel(50, () => auth('/signup', { email, password: PASSWORD }));
  const made = await ask<number>('accounts', email);
  const other = `${randomUUID()}@example.com`;
  await auth('/signup', { email: other, password: PASSWORD });
  const token = await ask<string>('linkToken', other);
  const verified = await inParallel(20, () => auth('/email/verify', { token, password: PASSWORD }));
  print(
    `races: 50 refreshes of one token ${refreshed} live (at most 4), 50 sign-ups of one address ${made} account, 20 uses of one link ${verified} accepted`,
  );
};

/** From the request of a sign-up to its email at the relay, while a newsletter goes out. */
const mail = async (): Promise<void> => {
  const audience = await ask<string>('members', READERS);
  await ask('newsletter', audience);
  while (relay.received.length < CALLS / 10) await sleep(SIGN_UP_EVERY_MS);
  const begun = new Map<string, number>();
  const took: number[] = [];
  let read = 0;
  const look = (): void => {
    for (; read < relay.received.length; read += 1) {
      const to = relay.received[read]?.to[0] ?? '';
      const start = begun.get(to);
      if (start !== undefined) took.push(performance.now() - start);
    }
  };
  const timer = setInterval(look, 5);
  const atStart = { mails: relay.received.length, at: performance.now() };
  for (let at = 0; at < SIGN_UPS; at += 1) {
    const email = `reader-${at}-${randomUUID()}@example.com`;
    begun.set(email, performance.now());
    const { status } = await auth('/signup', { email, password: PASSWORD }, prodKey);
    if (status !== 201) throw new Error(`a sign-up was answered ${status}`);
    await sleep(SIGN_UP_EVERY_MS);
  }
  const rate = (1_000 * (relay.received.length - atStart.mails)) / (performance.now() - atStart.at);
  const isOver = relay.received.length >= READERS;
  for (let wait = 0; took.length < SIGN_UPS && wait < 240; wait += 1) await sleep(SIGN_UP_EVERY_MS);
  clearInterval(timer);
  const received = took.length;
  // An email that has not come counts as the slowest.
  took.push(...Array.from({ length: SIGN_UPS - received }, () => Number.POSITIVE_INFINITY));
  print(
    `sign-up to mail during a newsletter of ${READERS}${isOver ? ' (which ended before)' : ''}: p50 ${ms(median(took))} (goal 1,000), p99 ${ms(p99Of(took))}, ${received} of ${SIGN_UPS} within the minute after, ${rate.toFixed(0)} emails/s`,
  );
};

const PARTS = { medians, races, cpu, load, mail };
try {
  for (const [name, part] of Object.entries(PARTS)) if (chosen.length === 0 || chosen.includes(name)) await part();
} finally {
  agent.destroy();
  if (child.connected) child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
  await relay.stop();
  rmSync(folder, { recursive: true, force: true });
}
