import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { contained } from '@beckon/core';
import type { Handler } from './create-handler.ts';
import { markAwaitingContinue } from './node.ts';
import { answerParserRefusals, refusesHostless } from './parser-refusals.ts';

/** Maximum bytes of a request head. Node's own default, pinned. */
const MAX_HEAD_BYTES = 16_384;
/** Milliseconds for a request head. Chosen: a phone on a bad network needs two seconds. */
const HEAD_TIMEOUT_MS = 10_000;
/** Milliseconds for a whole request. Chosen: twice the longest time budget, after which the pipeline has answered. */
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * Milliseconds until an idle connection is closed. Chosen: more than the 60 s of common load balancers, so that they
 * close first.
 */
const KEEP_ALIVE_MS = 65_000;
/** Interval of checking the two timeouts above, in milliseconds. Chosen: small against both. */
const CHECK_MS = 5_000;
/** Interval of looking for idle connections while closing, in milliseconds. Chosen: close is not delayed noticeably. */
const SWEEP_MS = 50;
/** Default timeout of `close`, in milliseconds. Chosen: half of the time that `beckon serve` may take to stop. */
const DEFAULT_CLOSE_MS = 10_000;

/** A listening server. */
export type Listener = {
  /** Its URL, with the actual port: `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Stops accepting connections, drops idle ones, lets each request finish whose head was received, and answers it with
   * `Connection: close`. After `timeoutMs` it cuts the remaining connections. Idempotent.
   *
   * @returns false if a connection was cut
   */
  close(timeoutMs?: number): Promise<boolean>;
};

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

const finish = (server: Server, sockets: ReadonlySet<Socket>, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    let isClean = true;
    // Node calls a connection idle while its last response is still being sent, and would cut that response short.
    const dropIdle = contained(() => {
      for (const socket of sockets) if (socket.writableLength > 0) return;
      server.closeIdleConnections();
    });
    const sweep = setInterval(dropIdle, SWEEP_MS);
    const cut = setTimeout(
      contained(() => {
        isClean = false;
        server.closeAllConnections();
      }),
      timeoutMs,
    );
    // The close of node:http first drops connections that it calls idle. The close of node:net only stops listening.
    NetServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      clearTimeout(cut);
      // Ends the timer with which node:http checks for slow clients.
      server.close(() => resolve(isClean));
    });
    dropIdle();
  });

/**
 * Listens with `node:http`, with limits on heads and on idle and slow clients. Input that never becomes a request
 * (malformed, oversized or late heads) is answered in the same envelope as all other errors.
 *
 * @param options `port` 0 lets the system choose; `host` is loopback by default
 * @throws (rejects with) the system's error, such as EADDRINUSE
 */
export const listen = (
  handler: Handler,
  { host = '127.0.0.1', port }: { readonly host?: string | undefined; readonly port: number },
): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const serve: Handler['node'] = (req, res) => {
      if (!refusesHostless(req, res)) handler.node(req, res);
    };
    const server = createServer(
      {
        maxHeaderSize: MAX_HEAD_BYTES,
        headersTimeout: HEAD_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: CHECK_MS,
        // Node's own response has no envelope.
        requireHostHeader: false,
      },
      serve,
    );
    answerParserRefusals(server, MAX_HEAD_BYTES);
    const sockets = new Set<Socket>();
    let closing: Promise<boolean> | undefined;
    server.on(
      'connection',
      contained((socket: Socket) => {
        sockets.add(socket);
        socket.once(
          'close',
          contained(() => sockets.delete(socket)),
        );
      }),
    );
    server.on(
      'checkContinue',
      contained((req, res) => {
        markAwaitingContinue(req);
        serve(req, res);
      }),
    );
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // Proof of the cast: the address is null or a string only for a server that does not listen on a port.
      const address = server.address() as AddressInfo;
      resolve({
        url: urlOf(address),
        close: (timeoutMs = DEFAULT_CLOSE_MS) => {
          handler.drain();
          closing ??= finish(server, sockets, timeoutMs);
          return closing;
        },
      });
    });
  });
