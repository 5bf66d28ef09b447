// Common parts of stand-ins for SMS providers: a server over TLS on loopback with network faults on demand, which
// counts requests.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TEST_CA, TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

export type SmsPeer = {
  readonly endpoint: string;
  /** The authority of its certificate. PEM. */
  readonly ca: string;
  /** Requests so far, whatever their result. */
  requests(): number;
  /** Maximum of concurrent requests so far. */
  peak(): number;
  connections(): number;
  /** Requests, and silent connections, that the client still waits for. */
  open(): number;
  /** Accepts connections and sends nothing on them from now on; closes idle ones. */
  silence(): void;
  /** Responds again, also on connections that it has kept waiting. */
  speak(): void;
  /** Resets the next connection at once, or when it has read the headers of a request. */
  dropNext(when: 'connected' | 'headers'): void;
  vanish(): Promise<void>;
  stop(): Promise<void>;
};

/** One completely read request. */
export type PeerCall = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  /** Identifies the connection. */
  readonly connection: string;
  /** Ends the connection without a response. */
  readonly reset: () => void;
};

/** Ten million bytes, written from one buffer, because the stand-in shares the test's memory. */
const PIECES = 1_000;
const PIECE = Buffer.alloc(10_000, 'x');

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** Responds with JSON. */
export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
};

/** Responds with a status, and with a body if there is one. */
export const head = (response: ServerResponse, status: number, body?: string): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  if (body === undefined) response.flushHeaders();
  else response.end(body);
};

/** Responds with 10 MB that are no JSON. */
export const stream = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  function* pieces() {
    for (let at = 0; at < PIECES; at += 1) yield PIECE;
  }
  // The client leaves before the end.
  pipeline(Readable.from(pieces()), response).catch(() => undefined);
};

/** `Retry-After` according to five digits: seconds, none for 0, a date 30 s ahead for 99999. */
export const waitHeaders = (digits: string, now: Date): Record<string, string> => {
  if (Number(digits) === 0) return {};
  return { 'Retry-After': digits === '99999' ? new Date(now.getTime() + 30_000).toUTCString() : `${Number(digits)}` };
};

/** Starts a peer. `stop` ends it together with every connection. */
export const smsPeer = async (handle: (call: PeerCall) => void): Promise<SmsPeer> => {
  const raw = new Set<Socket>();
  /** Bytes that were read on silent connections. */
  const silent = new Map<Socket, Uint8Array[]>();
  const names = new WeakMap<object, string>();
  let requests = 0;
  let open = 0;
  let peak = 0;
  let named = 0;
  let isSilent = false;
  let dropping: 'connected' | 'headers' | null = null;

  /** Ends the TCP connection under a TLS one, which cannot be reset itself. */
  const reset = (socket: Pick<Socket, 'remotePort'>): void => {
    for (const one of raw) if (one.remotePort === socket.remotePort) one.resetAndDestroy();
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    await new Promise((resolve) => setImmediate(resolve));
    const connection = names.get(request.socket) ?? '';
    handle({ request, response, body: text, connection, reset: () => reset(request.socket) });
  };

  const secure = createSecureServer({ cert: TEST_CERT, key: TEST_KEY, keepAlive: true }, (request, response) => {
    requests += 1;
    if (dropping === 'headers') {
      dropping = null;
      reset(request.socket);
      return;
    }
    open += 1;
    peak = Math.max(peak, open);
    response.once('close', () => {
      open -= 1;
    });
    receive(request, response).catch(() => request.socket.destroy());
  });
  secure.on('secureConnection', (socket) => {
    named += 1;
    names.set(socket, `c${named}`);
    socket.on('error', () => undefined);
  });

  const front = createServer({ noDelay: true }, (socket) => {
    raw.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => raw.delete(socket));
    if (dropping === 'connected') {
      dropping = null;
      socket.resetAndDestroy();
    } else if (isSilent) {
      const read: Uint8Array[] = [];
      silent.set(socket, read);
      socket.once('close', () => silent.delete(socket));
      // Without a reader the client's end would not be noticed.
      socket.on('data', (chunk) => read.push(Buffer.from(chunk)));
    } else secure.emit('connection', socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  const vanish = async (): Promise<void> => {
    if (!front.listening) return;
    const closed = new Promise((resolve) => front.close(resolve));
    for (const socket of raw) socket.destroy();
    await closed;
  };

  return {
    endpoint: `https://127.0.0.1:${port}`,
    ca: TEST_CA,
    requests: () => requests,
    peak: () => peak,
    connections: () => raw.size,
    open: () => open + silent.size,
    silence: () => {
      isSilent = true;
      secure.closeIdleConnections();
    },
    speak: () => {
      isSilent = false;
      for (const [socket, read] of silent) {
        socket.removeAllListeners('data').pause().unshift(Buffer.concat(read));
        silent.delete(socket);
        secure.emit('connection', socket);
      }
    },
    dropNext: (when) => {
      dropping = when;
      for (const socket of raw) socket.destroy();
    },
    vanish,
    stop: vanish,
  };
};
