import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Beckon, contained } from '@beckon/core';
import { type Metrics, mayLook } from './metrics.ts';

/** A server for metrics. */
export type MetricsListener = {
  /** The URL of the metrics: `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  close(): Promise<void>;
};

export type ListenMetricsOptions = {
  /** Default: loopback. */
  readonly host?: string | undefined;
  /** 0: the system chooses a free port. */
  readonly port: number;
  /** Required as `Authorization: Bearer TOKEN`. Default: no token is required. */
  readonly token?: string | undefined;
};

/** Time that a request may take to arrive, in milliseconds. Chosen: a scraper needs far less. */
const TIMEOUT_MS = 10_000;

/**
 * Serves `GET /metrics` on its own port, separate from the public API.
 *
 * @throws (rejects with) the system's error, such as EADDRINUSE
 */
export const listenMetrics = (
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  beckon: Pick<Beckon, 'queues'>,
  { host = '127.0.0.1', port, token }: ListenMetricsOptions,
): Promise<MetricsListener> =>
  new Promise((resolve, reject) => {
    const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'no-store');
      const isThere = req.url?.split('?')[0] === '/metrics';
      if (!isThere || (req.method !== 'GET' && req.method !== 'HEAD')) {
        res.writeHead(isThere ? 405 : 404).end();
        return;
      }
      if (!mayLook(req.headers.authorization, token)) {
        res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
        return;
      }
      try {
        const text = await metrics.text(beckon);
        res.writeHead(200, { 'Content-Type': metrics.contentType }).end(req.method === 'GET' ? text : '');
      } catch {
        if (!res.headersSent) res.writeHead(500);
        res.end();
      }
    };
    const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, contained(answer));
    server.once('error', reject);
    server.listen(
      port,
      host,
      contained(() => {
        server.off('error', reject);
        // Safe: the address of a server that listens on a port.
        const { address, family, port: chosen } = server.address() as AddressInfo;
        resolve({
          url: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}/metrics`,
          close: () =>
            new Promise((done) => {
              server.close(contained(() => done()));
              server.closeAllConnections();
            }),
        });
      }),
    );
  });
