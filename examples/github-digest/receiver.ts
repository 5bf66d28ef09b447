import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** The part of a webhook that the tour checks. */
export type Delivered = {
  readonly event: { readonly id: string };
  readonly type: string;
  readonly data: {
    readonly userId?: string;
    readonly path?: string;
    readonly outcome?: string;
    readonly status?: string;
  };
};

export type Receiver = {
  readonly url: string;
  /** Accepts deliveries signed with this secret (`whsec_...`) from then on; before that, none. */
  trust(secret: string): void;
  /** Valid deliveries, each event once, although one may be delivered more than once. */
  delivered(): readonly Delivered[];
  /** Number of rejected requests. */
  refused(): number;
  close(): void;
};

/** Bytes of a signing secret; Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;
/** Status for a request without a valid signature. */
const UNAUTHORIZED = 401;

const single = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])),
  );

/** Listens on a free port of loopback, and verifies each request according to Standard Webhooks. */
export const openReceiver = async (): Promise<Receiver> => {
  const delivered = new Map<string, Delivered>();
  let verifier: Webhook | undefined;
  let refused = 0;
  /** Throws unless the body was signed. */
  const take = (body: string, headers: IncomingHttpHeaders): void => {
    if (!verifier) throw new Error('No secret is known yet.');
    verifier.verify(body, single(headers));
    const one: Delivered = JSON.parse(body);
    delivered.set(one.event.id, one);
  };
  const server = createServer((request, response) => {
    text(request)
      .then((body) => take(body, request.headers))
      .then(
        () => response.writeHead(200).end(),
        () => {
          refused += 1;
          response.writeHead(UNAUTHORIZED).end();
        },
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe: a TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    trust: (secret) => {
      verifier = new Webhook(secret);
    },
    delivered: () => [...delivered.values()],
    refused: () => refused,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Posts a delivery signed with another secret to a receiver, and returns the status. */
export const forge = async (url: string): Promise<number> => {
  const stranger = new Webhook(`whsec_${randomBytes(SECRET_BYTES).toString('base64')}`);
  const [id, at, body] = ['forged', new Date(), JSON.stringify({ event: { id: 'forged' }, type: 'forged', data: {} })];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': stranger.sign(id, at, body),
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
};
