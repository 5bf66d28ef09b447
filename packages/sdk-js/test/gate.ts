import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** One recorded call. */
export type Passed = {
  readonly method: string;
  readonly path: string;
  readonly isBeacon: boolean;
  readonly body: string;
  /** The response status; 0: none. */
  status: number;
};
type Refusal = { readonly status: number; readonly retryAfterSeconds?: number };

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'X-Request-ID, Retry-After' };

const readAll = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Starts a server on a free port and returns its address. */
export const listen = async (answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void) => {
  const server = createServer(answer);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${port}`, close };
};

/** A proxy in front of the service that records calls and rejects selected ones. */
export const openGate = async (target: string) => {
  const passed: Passed[] = [];
  const refusals: Refusal[] = [];

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await readAll(incoming);
    const isBeacon = headers['content-type']?.startsWith('text/plain') ?? false;
    const call: Passed = { method, path: url, isBeacon, body: body.toString(), status: 0 };
    if (method !== 'OPTIONS') passed.push(call);
    const refusal = method === 'OPTIONS' ? undefined : refusals.shift();
    if (refusal) {
      const { status, retryAfterSeconds } = refusal;
      call.status = status;
      outgoing.writeHead(status, {
        ...CORS,
        'content-type': 'application/json',
        ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      });
      outgoing.end(JSON.stringify({ success: false, error: { code: 'REFUSED', message: 'No.' } }));
      return;
    }
    const onward = request(`${target}${url}`, { method, headers }, (response) => {
      call.status = response.statusCode ?? 0;
      outgoing.writeHead(call.status, response.headers);
      response.pipe(outgoing);
      response.on('error', () => incoming.destroy());
    });
    // The service is down: the connection breaks, as it would without the proxy.
    onward.on('error', () => incoming.destroy());
    onward.end(body);
  };

  const { url, close } = await listen((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => incoming.destroy());
  });
  return {
    url,
    passed,
    refuse: (...next: readonly Refusal[]) => void refusals.push(...next),
    reset: () => {
      passed.length = 0;
      refusals.length = 0;
    },
    close,
  };
};
