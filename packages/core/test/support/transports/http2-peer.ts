import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

/** A request that a stand-in has read completely. */
export type PeerRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream: ServerHttp2Stream;
  /** Equal for requests of one connection. */
  readonly connection: string;
  /** Responds and ends. */
  answer(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
  /** Ends the connection without a message, as a broken network does. */
  reset(): void;
};

export type PeerOptions = {
  readonly maxConcurrentStreams: number;
  /** Decides by the headers: `read` the request, or do something else with the stream. */
  begin?(headers: IncomingHttpHeaders, stream: ServerHttp2Stream, reset: () => void): 'read' | 'done';
  request(request: PeerRequest): void;
};

/** An HTTP/2 server over TLS on its own port of 127.0.0.1, with the faults of a peer. */
export type Http2Peer = {
  readonly origin: string;
  /** Maximum of concurrent requests so far. */
  peak(): number;
  open(): number;
  connections(): number;
  /** Connections so far. */
  connected(): number;
  /**
   * Sends GOAWAY on every connection, and ignores streams above `lastStreamId` from then on, however much of them it
   * had read.
   * Absent: the last stream that it has begun. Source: RFC 9113, 6.8.
   */
  goaway(code?: number, lastStreamId?: number): void;
  /** Ends all sessions at once. */
  kill(): void;
  /** Ends all connections with a TCP reset. */
  reset(): void;
  restart(): Promise<void>;
  silence(): Promise<void>;
  vanish(): Promise<void>;
  stop(): Promise<void>;
};

const listening = async (server: Server | Http2SecureServer, port: number): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // Proof of the cast: a server that listens on a TCP port has an address with a port.
  return (server.address() as AddressInfo).port;
};

/** Starts a peer. */
export const http2Peer = async (options: PeerOptions): Promise<Http2Peer> => {
  const sockets = new Map<Socket, string>();
  /** With the last stream that each session handles. */
  const sessions = new Map<Http2Session, number>();
  const silent = new Set<Socket>();
  let underWay = 0;
  let peak = 0;
  let connected = 0;

  const server = createSecureServer({
    key: TEST_KEY,
    cert: TEST_CERT,
    settings: { maxConcurrentStreams: options.maxConcurrentStreams },
  });
  const ignore = (): void => undefined;
  server.on('connection', (socket: Socket) => {
    connected += 1;
    sockets.set(socket, `connection-${connected}`);
    socket.on('error', ignore);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions.set(session, Number.POSITIVE_INFINITY);
    session.on('error', ignore);
    session.on('close', () => sessions.delete(session));
  });
  server.on('sessionError', ignore);
  server.on('tlsClientError', ignore);

  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const { session, id = 0 } = stream;
    // Node passes on streams that its own GOAWAY excluded; a server that sent it never reads them.
    const isLeftOut = (): boolean => session !== undefined && id > (sessions.get(session) ?? 0);
    underWay += 1;
    peak = Math.max(peak, underWay);
    stream.on('error', ignore);
    stream.on('close', () => {
      underWay -= 1;
    });
    // The TLS socket of a session is a view of the TCP socket; their ports are equal.
    const port = stream.session?.socket.remotePort;
    const raw = [...sockets.keys()].find((socket) => socket.remotePort === port);
    const reset = (): void => {
      raw?.resetAndDestroy();
    };
    if (isLeftOut()) {
      stream.resume();
      return;
    }
    if ((options.begin?.(headers, stream, reset) ?? 'read') === 'done') return;
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (stream.destroyed || isLeftOut()) return;
      options.request({
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
        stream,
        connection: (raw && sockets.get(raw)) ?? 'gone',
        reset,
        answer: (status, body = '', more = {}) => {
          if (stream.destroyed || stream.headersSent || isLeftOut()) return;
          stream.respond({ ':status': status, ...more }, { endStream: body === '' });
          if (body !== '') stream.end(body);
        },
      });
    });
  });
  const port = await listening(server, 0);

  const hangUp = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets.keys()) socket.destroy();
    await closed;
  };
  let mute: Server | undefined;

  return {
    origin: `https://127.0.0.1:${port}`,
    peak: () => peak,
    open: () => underWay + silent.size,
    connections: () => sockets.size + silent.size,
    connected: () => connected,
    goaway: (code = 0, lastStreamId) => {
      for (const session of sessions.keys()) {
        // A session that the client has ended stays in the list until its 'close', and Node throws for it.
        if (session.destroyed) continue;
        const last = lastStreamId ?? session.state.lastProcStreamID ?? 0;
        sessions.set(session, Math.min(last, sessions.get(session) ?? last));
        session.goaway(code, last);
      }
    },
    kill: () => {
      for (const session of sessions.keys()) session.destroy();
    },
    reset: () => {
      for (const socket of sockets.keys()) socket.resetAndDestroy();
    },
    restart: async () => {
      for (const session of sessions.keys()) session.close();
    },
    silence: async () => {
      await hangUp();
      mute = createServer((socket) => {
        silent.add(socket);
        socket.on('error', ignore);
        socket.on('close', () => silent.delete(socket));
        socket.resume();
      });
      await listening(mute, port);
    },
    vanish: hangUp,
    stop: async () => {
      if (server.listening) await hangUp();
      for (const socket of silent) socket.destroy();
      await new Promise<void>((resolve) => (mute ? mute.close(() => resolve()) : resolve()));
    },
  };
};
