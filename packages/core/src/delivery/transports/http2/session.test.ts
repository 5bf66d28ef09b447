import { constants } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { http2Peer, type PeerOptions, type PeerRequest } from '../../../../test/support/transports/http2-peer.ts';
import { proxyTo } from '../../../../test/support/transports/proxy.ts';
import { TEST_CA } from '../../../../test/support/transports/tls/fixtures.ts';
import type { Log } from '../../../foundation/log.ts';
import { turnsUntil } from '../testing/turns.ts';
import { type Http2Options, type Http2Result, http2Session } from './session.ts';

const never = new AbortController().signal;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 200 && !holds(); turn += 1) await pause(5);
  expect(holds()).toBe(true);
};

type World = Partial<PeerOptions> & Partial<Http2Options>;

const open = async (changes: World = {}) => {
  const { maxConcurrentStreams = 100, request, begin, ...options } = changes;
  const read: PeerRequest[] = [];
  const peer = await http2Peer({
    maxConcurrentStreams,
    ...(begin ? { begin } : {}),
    request: (one) => {
      read.push(one);
      (request ?? ((given) => given.answer(200, '{}')))(one);
    },
  });
  const session = http2Session({
    origin: peer.origin,
    ca: TEST_CA,
    maxInFlight: 900,
    warmUp: false,
    random: () => 0.5,
    ...options,
  });
  onTestFinished(async () => {
    await session.close();
    await peer.stop();
  });
  const send = (body: string, signal = never): Promise<Http2Result> =>
    session.request({ path: '/x', headers: {}, body }, signal);
  const many = (count: number): Promise<Http2Result>[] => Array.from({ length: count }, (_, at) => send(`${at}`));
  return { peer, session, send, many, read, bodies: () => read.map(({ body }) => body) };
};

const kinds = (results: readonly Http2Result[]): string[] =>
  results.map((result) => (result.kind === 'answered' ? `${result.answer.status}` : result.outcome.processed));
const countsOf = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]));

describe('an HTTP/2 session', () => {
  it("a session sends at most the peer's limit at once, in order of arrival, on one connection", async () => {
    const { peer, many, bodies } = await open({ maxConcurrentStreams: 7 });
    const results = await Promise.all(many(60));
    expect(countsOf(kinds(results))).toEqual({ 200: 60 });
    expect(bodies()).toEqual(Array.from({ length: 60 }, (_, at) => `${at}`));
    expect(peer.peak()).toBeLessThanOrEqual(7);
    expect(peer.connected()).toBe(1);
  });

  it('a session sends at most its own cap at once, whatever the peer allows', async () => {
    const { peer, many } = await open({ maxConcurrentStreams: 1_000, maxInFlight: 5 });
    await Promise.all(many(40));
    expect(peer.peak()).toBe(5);
  });

  it("currentCapacity is twice the peer's limit once it is known, and never above the session's cap", async () => {
    const few = await open({ maxConcurrentStreams: 7 });
    const many = await open({ maxConcurrentStreams: 2_000 });
    expect([few.session.currentCapacity(), many.session.currentCapacity()]).toEqual([200, 200]);
    await Promise.all([few.send('x'), many.send('x')]);
    expect([few.session.currentCapacity(), many.session.currentCapacity()]).toEqual([14, 900]);
    few.peer.kill();
    await until(() => few.peer.connections() === 0);
    expect(few.session.currentCapacity()).toBe(14);
  });

  it('each new connection sends one request alone until one was not forbidden', async () => {
    let status = 403;
    const { peer, many, send, read } = await open({ warmUp: true, request: ({ answer }) => answer(status) });
    await Promise.all(many(5));
    expect(peer.peak()).toBe(1);
    status = 200;
    await send('warm');
    await Promise.all(many(30));
    expect(peer.peak()).toBeGreaterThan(1);
    expect(read).toHaveLength(36);
  });

  it('an answer has status, headers in lower case and body', async () => {
    const { send } = await open({ request: ({ answer }) => answer(503, '{"a":"ü"}', { 'Retry-After': '7' }) });
    const result = await send('x');
    expect(result).toMatchObject({
      kind: 'answered',
      answer: { status: 503, headers: { 'retry-after': '7' }, body: '{"a":"ü"}' },
    });
  });

  it('a queued request that is aborted ends at once and is never sent', async () => {
    const { send, read } = await open({ maxInFlight: 1, request: () => undefined });
    const [first, second] = [new AbortController(), new AbortController()];
    const sending = [send('first', first.signal), send('second', second.signal)];
    await until(() => read.length === 1);
    second.abort();
    first.abort();
    expect(kinds(await Promise.all(sending))).toEqual(['unknown', 'no']);
    expect(read).toHaveLength(1);
  });

  it('a request without an answer releases its place at the time limit', async () => {
    const { send, read } = await open({
      maxInFlight: 1,
      request: ({ body, answer }) => (body === 'hang' ? undefined : answer(200)),
    });
    const controller = new AbortController();
    const hanging = send('hang', controller.signal);
    await until(() => read.length === 1);
    controller.abort();
    expect(kinds([await hanging, await send('next')])).toEqual(['unknown', '200']);
  });
});

describe('an HTTP/2 session whose peer says GOAWAY', () => {
  it('after a GOAWAY, streams up to the last one finish and the others are sent once again on a new connection', async () => {
    const lines: string[] = [];
    const log: Pick<Log, 'info'> = { info: (_, message) => lines.push(message) };
    const held: PeerRequest[] = [];
    let isHolding = true;
    const { peer, many, bodies } = await open({
      log,
      request: (one) => {
        if (isHolding) held.push(one);
        else one.answer(200);
      },
    });
    const sending = many(10);
    await until(() => held.length === 10);
    isHolding = false;
    // Client streams are 1, 3, 5, ...: this is the fourth.
    peer.goaway(constants.NGHTTP2_NO_ERROR, 7);
    await pause(20);
    for (const one of held.slice(0, 4)) one.answer(200);
    expect(countsOf(kinds(await Promise.all(sending)))).toEqual({ 200: 10 });
    expect(countsOf(bodies().slice(10))).toEqual({ 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1 });
    expect(peer.connected()).toBe(2);
    expect(lines).toContain('the provider ends a connection');
  });

  it('a repeated GOAWAY amid traffic loses no request and duplicates none', async () => {
    const { peer, send, read, bodies } = await open({
      maxConcurrentStreams: 1_000,
      request: ({ answer }) => setTimeout(() => answer(200), 20),
    });
    const isBusy = (connection: number): boolean =>
      read.filter((one) => one.connection === `connection-${connection}`).length > 100;
    const sending: Promise<Http2Result>[] = [];
    let isOver = false;
    const traffic = async (): Promise<void> => {
      while (!isOver) {
        for (let more = 0; more < 10; more += 1) sending.push(send(`${sending.length}`));
        await pause(1);
      }
    };
    const flowing = traffic();
    for (const connection of [1, 2]) {
      await until(() => isBusy(connection));
      // Without an explicit id, the last stream is the last that the peer has begun: others are on their way.
      peer.goaway();
    }
    await until(() => isBusy(3));
    isOver = true;
    await flowing;
    expect(countsOf(kinds(await Promise.all(sending)))).toEqual({ 200: sending.length });
    expect(bodies()).toHaveLength(sending.length);
    expect(new Set(bodies()).size).toBe(sending.length);
    expect(peer.connected()).toBe(3);
  });

  it('a connection that the peer ended but left open is closed', async () => {
    const { peer, session, many, read } = await open({ request: () => undefined });
    const sending = many(4);
    await until(() => read.length === 4);
    peer.goaway();
    for (const one of read) one.answer(200);
    expect(kinds(await Promise.all(sending))).toEqual(['200', '200', '200', '200']);
    // The peer keeps its side open and receives nothing.
    expect(peer.connections()).toBe(1);
    expect(await Promise.race([session.close().then(() => 'closed'), pause(2_000)])).toBe('closed');
  });

  it('queued requests use a new connection while old streams are under way', async () => {
    const { peer, send, read } = await open({
      maxInFlight: 10,
      maxConcurrentStreams: 1,
      request: (one) => {
        if (one.body !== 'slow') one.answer(200);
      },
    });
    const slow = send('slow');
    await until(() => read.length === 1);
    const waiting = send('waiting');
    await peer.restart();
    expect(kinds([await waiting])).toEqual(['200']);
    read[0]?.answer(200);
    expect(kinds([await slow])).toEqual(['200']);
  });

  it('an error GOAWAY names the spared streams, and the session does not send them again by itself', async () => {
    const { peer, many, read } = await open({ request: () => undefined });
    const sending = many(4);
    await until(() => read.length === 4);
    peer.goaway(constants.NGHTTP2_INTERNAL_ERROR, 3);
    expect(kinds(await Promise.all(sending))).toEqual(['unknown', 'unknown', 'no', 'no']);
    expect(read).toHaveLength(4);
  });
});

describe('an HTTP/2 session whose connection breaks', () => {
  it.each(['kill', 'reset'] as const)('a %s among 200 requests loses none and duplicates none', async (way) => {
    let isOver = false;
    const { peer, send, bodies } = await open({
      request: ({ body, answer }) => {
        // One request in three stays under way until the end, so the break hits some at any speed.
        if (isOver || Number(body) % 3 > 0) setTimeout(() => answer(200), 3);
      },
    });
    const sending = Array.from({ length: 200 }, async (_, at) => {
      await pause(Math.floor(at / 5));
      return send(`${at}`);
    });
    for (const _ of [1, 2]) {
      await pause(8);
      // Without an open connection the break would count as refused, and later requests would wait a second.
      await until(() => peer.open() > 0);
      peer[way]();
    }
    isOver = true;
    const results = kinds(await Promise.all(sending));
    const times = countsOf(bodies());
    expect(results).toHaveLength(200);
    expect(results).toContain('unknown');
    for (const [at, result] of results.entries()) {
      // Answered: read once. Not processed: never read. Otherwise at most once.
      if (result === '200') expect(times[at]).toBe(1);
      else expect(times[at] ?? 0).toBeLessThanOrEqual(result === 'no' ? 0 : 1);
    }
    expect(kinds([await send('after')])).toEqual(['200']);
  });

  it('an answer cut by the end of its connection is not taken as complete', async () => {
    const { peer, send, read } = await open({
      request: ({ stream }) => {
        stream.respond({ ':status': 200 });
        stream.write('{"name":');
      },
    });
    const sending = send('x');
    await until(() => read.length === 1);
    await pause(40);
    peer.kill();
    peer.reset();
    expect(kinds([await sending])).toEqual(['unknown']);
  });

  it('a refused stream is sent again at most twice', async () => {
    let refused = 0;
    const { send, read } = await open({
      begin: (_, stream) => {
        refused += 1;
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        return 'done';
      },
    });
    expect(await send('x')).toMatchObject({ outcome: { code: 'refused', processed: 'no' } });
    expect(refused).toBe(3);
    expect(read).toEqual([]);
  });

  it('requests fail at once for a second after a refused connection, and connect again later', async () => {
    const { peer, send } = await open();
    await peer.vanish();
    const first = await send('a');
    expect(first).toMatchObject({ outcome: { code: 'unreachable', processed: 'no', retryAfterMs: 1_000 } });
    const second = send('b');
    expect(await turnsUntil(second)).toBeLessThan(500);
    expect(await second).toEqual(first);
  });

  it('a connection that is not ready in time is closed, and its waiting requests fail', async () => {
    const { peer, many } = await open({ connectMs: 60 });
    await peer.silence();
    const results = await Promise.all(many(3));
    expect(results[0]).toMatchObject({ outcome: { code: 'unreachable', message: expect.stringMatching('ETIMEDOUT') } });
    expect(kinds(results)).toEqual(['no', 'no', 'no']);
    await until(() => peer.connections() === 0);
  });

  it('a connection that does not answer a ping is closed', async () => {
    const { peer } = await open();
    const proxy = await proxyTo(() => Number(new URL(peer.origin).port));
    const session = http2Session({
      origin: `https://127.0.0.1:${proxy.port}`,
      ca: TEST_CA,
      maxInFlight: 10,
      warmUp: false,
      random: () => 0.5,
      pingMs: 30,
      pingTimeoutMs: 30,
    });
    onTestFinished(async () => {
      await session.close();
      await proxy.stop();
    });
    const ask = () => session.request({ path: '/x', headers: {}, body: 'x' }, never);
    expect(kinds([await ask()])).toEqual(['200']);
    await pause(100);
    expect(proxy.connections()).toBe(1);
    proxy.freeze();
    expect(kinds([await ask()])).toEqual(['unknown']);
    await until(() => proxy.connections() === 0);
  });

  it('a certificate that the operator does not trust is refused', async () => {
    const { peer } = await open();
    const session = http2Session({ origin: peer.origin, maxInFlight: 1, warmUp: false, random: () => 0.5 });
    onTestFinished(() => session.close());
    expect(await session.request({ path: '/x', headers: {}, body: '' }, never)).toMatchObject({
      outcome: { code: 'unreachable', processed: 'no' },
    });
  });
});

describe('closing an HTTP/2 session', () => {
  it('close waits for requests under way and queued ones, refuses new ones, and is idempotent', async () => {
    const { peer, session, send, many } = await open({
      maxInFlight: 2,
      request: ({ answer }) => setTimeout(() => answer(200), 5),
    });
    const sending = many(8);
    const closing = [session.close(), session.close()];
    expect(kinds([await send('late')])).toEqual(['no']);
    await Promise.all(closing);
    expect(countsOf(kinds(await Promise.all(sending)))).toEqual({ 200: 8 });
    await until(() => peer.connections() === 0);
  });
});
