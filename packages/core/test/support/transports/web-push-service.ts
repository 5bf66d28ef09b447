// A push service with one subscription: checks the key pair that it was created for, decrypts with `http_ece`, and
// behaves according to the first part of an endpoint's path.

import { createECDH, createPublicKey, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import ece from 'http_ece';
import type { PushMessage } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import { payloadOf } from '../../../src/delivery/transports/web-push/payload.ts';
import { TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

const MAX_BODY_BYTES = 4_096;
const MAX_PLAIN_BYTES = 3_993;
const DAY_SECONDS = 86_400;
/** 10 MB, in equal pieces. */
const HUGE = Array<Buffer>(160).fill(Buffer.alloc(65_536, 'x'));
/** Part of every endpoint; nothing may repeat it. */
const PATH_SECRET = 'kd83hs-endpoint-secret';

/** One request that was answered with 201. */
export type Received = {
  readonly plain: string;
  readonly headers: IncomingMessage['headers'];
  readonly bodyBytes: number;
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  readonly jwt: string;
  readonly publicKey: string;
  readonly connection: string;
};

export type WebPushService = StandIn<PushMessage> & {
  readonly origin: string;
  readonly received: readonly Received[];
  /** A subscription whose endpoint behaves like this; a number is the response status. */
  subscription(behaviour: Behaviour | Oddity | number): string;
  push(fields: Partial<PushMessage>): PushMessage;
  /** Requests of any kind so far. */
  hits(): number;
};

type Judged = Received | { readonly status: number };

const publicKeyOf = (point: Buffer) =>
  createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());

/**
 * Starts it on a free port of 127.0.0.1, with the certificate of the test authority.
 *
 * @param knows public keys that its subscription was created for; empty: any
 * @param now the clock for dates
 */
export const startWebPushService = async (
  knows: readonly string[] = [],
  now: () => Date = () => new Date(),
): Promise<WebPushService> => {
  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys().toString('base64url');
  const auth = Buffer.from('0123456789abcdef').toString('base64url');
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const unanswered = new Set<ServerResponse>();
  let hits = 0;
  let peak = 0;
  let isSilent = false;

  const evaluate = (request: IncomingMessage, body: Buffer): Judged => {
    const [, jwt = '', publicKey = ''] =
      /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(request.headers.authorization ?? '') ?? [];
    const [head = '', claimed = '', signature = ''] = jwt.split('.');
    const point = Buffer.from(publicKey, 'base64url');
    const isSigned =
      point.length === 65 &&
      verify(
        'sha256',
        Buffer.from(`${head}.${claimed}`),
        { key: publicKeyOf(point), dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
    if (!isSigned || (knows.length > 0 && !knows.includes(publicKey))) return { status: 403 };
    const claims = JSON.parse(Buffer.from(claimed, 'base64url').toString());
    const leftSeconds = claims.exp - now().getTime() / 1000;
    if (claims.aud !== origin || leftSeconds <= 0 || leftSeconds > DAY_SECONDS) return { status: 403 };
    if (!/^\d+$/.test(request.headers['ttl']?.toString() ?? '')) return { status: 400 };
    if (request.headers['content-encoding'] !== 'aes128gcm') return { status: 415 };
    if (body.length > MAX_BODY_BYTES) return { status: 413 };
    const plain = ece.decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: auth }).toString('utf8');
    const connection = `${request.socket.remotePort}`;
    return { plain, headers: request.headers, bodyBytes: body.length, claims, jwt, publicKey, connection };
  };

  const accept = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: readonly Buffer[] = [],
  ): Promise<void> => {
    const judged = evaluate(request, await bodyOf(request));
    if ('status' in judged) {
      response.writeHead(judged.status).end();
      return;
    }
    received.push(judged);
    response.writeHead(201, { location: `${origin}/message/${received.length}` });
    Readable.from(body).pipe(response);
  };

  const statuses: Partial<Record<string, number>> = { bounce: 410, refuse: 400, throttle: 429 };
  const acts: Partial<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void> | void>> = {
    accept: (request, response) => accept(request, response),
    garbage: (request, response) => accept(request, response, [Buffer.from('\u0000{"<html>')]),
    empty: (request, response) => accept(request, response),
    huge: (request, response) => accept(request, response, HUGE),
    hang: async (request) => void (await bodyOf(request)),
    drop: async (request) => {
      await bodyOf(request);
      request.socket.destroy();
    },
    'reset-early': (request) => void request.socket.destroy(),
    'reset-midway': (request) => void request.once('data', () => request.socket.destroy()),
    'wait-seconds': (_, response) => void response.writeHead(429, { 'Retry-After': '30' }).end(),
    'wait-date': (_, response) =>
      void response.writeHead(429, { 'Retry-After': new Date(now().getTime() + 30_000).toUTCString() }).end(),
    'hang-body': (_, response) => {
      response.writeHead(201);
      response.write('x');
    },
  };

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    hits += 1;
    unanswered.add(response);
    peak = Math.max(peak, unanswered.size);
    response.once('close', () => unanswered.delete(response));
    response.once('finish', () => unanswered.delete(response));
    const act = request.url?.split('/')[1] ?? '';
    const status = statuses[act] ?? Number(act);
    const run = acts[act] ?? (() => void response.writeHead(status).end());
    // Another turn of the event loop, so that requests overlap.
    setImmediate(() => void Promise.resolve(run(request, response)).catch(() => request.socket.destroy()));
  };

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const listen = async (server: Server, port: number): Promise<Server> => {
    server.on('connection', keep);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  const secure = createServer({ cert: TEST_CERT, key: TEST_KEY }, serve);
  // A connection that a client aborted in the middle of its handshake.
  secure.on('tlsClientError', () => undefined);
  let server = await listen(secure, 0);
  const { port } = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  const origin = `https://127.0.0.1:${port}`;

  const vanish = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };

  const push = (fields: Partial<PushMessage>): PushMessage => ({
    messageId: 'm-1',
    sendId: 's-1',
    platform: 'web',
    token: service.subscription('accept'),
    apnsEnvironment: null,
    title: 'Hello',
    body: null,
    data: {},
    actions: [],
    criticalAlert: null,
    interruptionLevel: null,
    collapseKey: null,
    threadId: null,
    ttlSeconds: 60,
    priority: 'normal',
    badge: null,
    sound: null,
    imageUrl: null,
    now: now(),
    ...fields,
  });

  const service: WebPushService = {
    origin,
    received,
    hits: () => hits,
    push,
    subscription: (behaviour) =>
      JSON.stringify({
        endpoint: `${origin}/${behaviour}/${PATH_SECRET}`,
        expirationTime: null,
        keys: { p256dh, auth },
      }),
    message: (messageId, behaviour, text = 'text') =>
      push({ messageId, body: text, token: service.subscription(behaviour) }),
    odd: (messageId, oddity) => push({ messageId, token: service.subscription(oddity) }),
    sized: (messageId, over) => {
      const bare = push({ messageId, body: '' });
      const freeBytes = MAX_PLAIN_BYTES - Buffer.byteLength(payloadOf(bare)) + over;
      // Characters of two bytes, so that bytes and characters differ.
      return { ...bare, body: 'é'.repeat(Math.floor(freeBytes / 2)) + 'x'.repeat(freeBytes % 2) };
    },
    arrived: () =>
      received.map(({ plain }) => {
        const { body, data } = JSON.parse(plain);
        return { messageId: data.serviceMessageId, text: body };
      }),
    peak: () => peak,
    secrets: [PATH_SECRET, auth, p256dh],
    connections: () => sockets.size,
    open: () => (isSilent ? sockets.size : unanswered.size),
    cameBy: (messageId) => {
      const one = received.find(({ plain }) => JSON.parse(plain).data.serviceMessageId === messageId);
      return { connection: `${one?.connection}`, credential: `${one?.publicKey} ${one?.jwt}` };
    },
    silence: async () => {
      await vanish();
      isSilent = true;
      server = await listen(
        createTcpServer((socket) => socket.resume()),
        port,
      );
    },
    vanish,
    stop: vanish,
  };
  return service;
};
