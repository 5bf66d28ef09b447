import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { EVENT_ID, fakeBeckon } from '../test/support/fake-beckon.ts';
import { createHandler } from './create-handler.ts';
import { type Listener, listen } from './listen.ts';

const listeners: Listener[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.close(0);
});

const start = async (overrides: Parameters<typeof fakeBeckon>[0] = {}) => {
  const listener = await listen(createHandler(fakeBeckon(overrides).beckon), { port: 0 });
  listeners.push(listener);
  return listener;
};

const until = async (what: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 400 && !what(); turn++) await sleep(5);
  if (!what()) throw new Error('it did not happen');
};

/** A connection with hand-written bytes. */
const dial = async (listener: Listener) => {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  sockets.push(socket);
  const seen = { text: '', isClosed: false, isReset: false };
  socket.on('data', (chunk) => {
    seen.text += chunk.toString('latin1');
  });
  socket.on('close', () => {
    seen.isClosed = true;
  });
  socket.on('error', () => {
    seen.isReset = true;
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return { socket, seen, write: (text: string) => socket.write(text) };
};

const BODY = '{"module":"m"}';
const HEAD = 'POST /api/v1/events HTTP/1.1\r\nHost: t\r\nx-api-key: sk_prod_one\r\nContent-Type: application/json\r\n';
const EVENT = `${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** An engine that waits until the test releases it. */
const gate = () => {
  let open = (): void => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  const state = { began: 0 };
  const accept = async () => {
    state.began++;
    await wait;
    return { id: EVENT_ID, accepted: true } as const;
  };
  return { accept, state, open };
};

describe('listen', () => {
  it('listen serves on a port that the system chose', async () => {
    const listener = await start();
    expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${listener.url}/healthz`);
    expect(await response.json()).toEqual({ success: true, data: { status: 'ok' } });
  });

  it('listen rejects when the port is in use', async () => {
    const port = Number(new URL((await start()).url).port);
    const handler = createHandler(fakeBeckon().beckon);
    await expect(listen(handler, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('a request head of more than 16 KB is rejected', async () => {
    const { seen, write } = await dial(await start());
    write(`GET /healthz HTTP/1.1\r\nHost: t\r\nx-api-key: ${'k'.repeat(20_000)}\r\n\r\n`);
    await until(() => seen.isClosed);
    expect(seen.text).toContain('HTTP/1.1 431');
  });

  it.each([
    ['a request that is no HTTP', 'nonsense\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['a request without a host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'VALIDATION_ERROR'],
    [
      'a client that waits and names no host',
      'POST /healthz HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a head that is too large',
      `GET / HTTP/1.1\r\nHost: t\r\nx: ${'k'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['an expectation of another kind', 'GET / HTTP/1.1\r\nHost: t\r\nExpect: tea\r\n\r\n', 417, 'EXPECTATION_FAILED'],
    [
      'a chunk with endless extensions',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('%s is answered in the envelope, and the connection closes', async (_, text, status, code) => {
    const { seen, write } = await dial(await start());
    write(text);
    await until(() => seen.isClosed);
    const [head = '', body = ''] = seen.text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`));
    expect(head).toMatch(/^X-Request-ID: [0-9a-f-]{36}$/m);
    expect(head).toMatch(/^Content-Type: application\/json; charset=utf-8$/m);
    expect(head).toMatch(/^Connection: close$/m);
    expect(head).toContain(`Content-Length: ${body.length}`);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code } });
  });

  it('a refusal is written after a response in progress, never into it', async () => {
    const long = 'x'.repeat(20_000_000);
    const listener = await start({
      health: async () => ({ ready: true, status: 'ok', checks: { long: { ok: true, detail: long } } }),
    });
    const { socket, seen, write } = await dial(listener);
    write('GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n');
    await until(() => seen.text !== '');
    socket.pause();
    write('nonsense\r\n\r\n');
    await sleep(20);
    socket.resume();
    await until(() => seen.isClosed);
    expect(seen.text.match(/HTTP\/1\.1/g)).toHaveLength(2);
    expect(seen.text.indexOf('HTTP/1.1 400 ')).toBeGreaterThan(long.length);
  });

  it('requests before garbage are answered in order, then the garbage is refused and the connection closed', async () => {
    const { accept, state, open } = gate();
    const { seen, write } = await dial(await start({ events: { track: accept } }));
    write(`${EVENT}GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n${EVENT}nonsense\r\n\r\n`);
    await until(() => state.began === 2);
    write('more of it\r\n\r\n');
    await sleep(20);
    expect([seen.text, seen.isClosed]).toEqual(['', false]);
    open();
    await until(() => seen.isClosed);
    const results = [...seen.text.matchAll(/HTTP\/1\.1 (\d+) |"accepted":true|"status":"ok"/g)].map(
      ([all, status = all]) => status,
    );
    expect(results).toEqual(['200', '"accepted":true', '200', '"status":"ok"', '200', '"accepted":true', '400']);
    expect([seen.isReset, seen.text.endsWith('}')]).toEqual([false, true]);
  });

  it('all requests of a packet are served before what follows them is refused', async () => {
    const { seen, write } = await dial(await start());
    write(`${'GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n'.repeat(50)}nonsense\r\n\r\n`);
    await until(() => seen.isClosed);
    const statuses = [...seen.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect([statuses.length, statuses.at(-2), statuses.at(-1)]).toEqual([51, '200', '400']);
  });

  it('an invalid chunked body is refused at once, after the responses to earlier requests', async () => {
    const { seen, write } = await dial(await start());
    write(`GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`);
    await until(() => seen.isClosed);
    expect([...seen.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '400']);
  });

  it('an HTTP/1.0 request needs no Host header', async () => {
    const { seen, write } = await dial(await start());
    write('GET /healthz HTTP/1.0\r\n\r\n');
    await until(() => seen.isClosed);
    expect(seen.text).toContain('HTTP/1.1 200 OK');
  });

  it('a client with Expect: 100-continue may send its body once its head is valid', async () => {
    const { seen, write } = await dial(await start());
    write(`${HEAD}Content-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`);
    await until(() => seen.text.includes('HTTP/1.1 100 Continue'));
    write(BODY);
    await until(() => seen.text.includes('HTTP/1.1 200'));
  });

  it('a client with Expect: 100-continue is not asked for a body that will be refused', async () => {
    const { seen, write } = await dial(await start());
    write(`${HEAD}Content-Length: 32769\r\nExpect: 100-continue\r\n\r\n`);
    await until(() => seen.text.includes('HTTP/1.1 413'));
    expect(seen.text).not.toContain('100 Continue');
    expect(seen.text).toContain('Connection: close');
  });
});

describe('closing a server', () => {
  it('close drops idle and silent connections at once', async () => {
    const listener = await start();
    const silent = await dial(listener);
    const idle = await dial(listener);
    idle.write('GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n');
    await until(() => idle.seen.text.includes('"ok"'));
    expect(await listener.close(5_000)).toBe(true);
    await until(() => silent.seen.isClosed && idle.seen.isClosed);
  });

  it('close lets a request that was read finish, and asks its client to close', async () => {
    const { accept, state, open } = gate();
    const listener = await start({ events: { track: accept } });
    const { seen, write } = await dial(listener);
    write(EVENT);
    await until(() => state.began === 1);
    const closed = listener.close(5_000);
    await expect(dial(listener)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(seen.isClosed).toBe(false);
    open();
    expect(await closed).toBe(true);
    await until(() => seen.isClosed);
    expect(seen.text).toContain('HTTP/1.1 200 OK');
    expect(seen.text).toContain('Connection: close');
    expect(seen.text).toContain(EVENT_ID);
    expect(seen.isReset).toBe(false);
  });

  it('close lets a request finish whose body is still arriving', async () => {
    const listener = await start();
    const { seen, write } = await dial(listener);
    write(EVENT.slice(0, -5));
    await sleep(20);
    const closed = listener.close(5_000);
    write(EVENT.slice(-5));
    expect(await closed).toBe(true);
    await until(() => seen.isClosed);
    expect(seen.text).toContain('HTTP/1.1 200 OK');
  });

  it('close lets a connection send its last response', async () => {
    const long = 'x'.repeat(20_000_000);
    const listener = await start({
      health: async () => ({ ready: true, status: 'ok', checks: { long: { ok: true, detail: long } } }),
    });
    const { socket, seen, write } = await dial(listener);
    write('GET /readyz HTTP/1.1\r\nHost: t\r\n\r\n');
    await until(() => seen.text !== '');
    socket.pause();
    const closed = listener.close(5_000);
    await sleep(20);
    socket.resume();
    expect(await closed).toBe(true);
    await until(() => seen.isClosed);
    expect(seen.text.length).toBeGreaterThan(long.length);
    expect(seen.text).not.toContain('Connection: close');
  });

  it('close cuts connections that remain after its timeout and returns false', async () => {
    const { accept, state, open } = gate();
    const listener = await start({ events: { track: accept } });
    const { seen, write } = await dial(listener);
    write(EVENT);
    await until(() => state.began === 1);
    expect(await listener.close(30)).toBe(false);
    await until(() => seen.isClosed);
    expect(seen.text).toBe('');
    open();
  });

  it('concurrent calls of close share one result', async () => {
    const listener = await start();
    const first = listener.close(1_000);
    expect(await listener.close(1_000)).toBe(true);
    expect(await first).toBe(true);
  });
});
