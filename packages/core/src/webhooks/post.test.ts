import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { virtualClock } from '../foundation/clock.ts';
import { type PostOptions, poster } from './post.ts';

const now = '2026-03-01T10:00:00.000Z';
const never = new AbortController().signal;
const body = Buffer.from('{"type":"email.delivered"}');
/** Short enough for a test, long enough for a busy machine to make a connection. */
const LIMIT_MS = 80;

const listening = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  // Safe: a TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port;
};
const receiver = (answer: RequestListener): Promise<number> => listening(createServer(answer));

const made = (options: Partial<PostOptions> = {}) => {
  const one = poster({ clock: virtualClock(now), allowCidrs: ['127.0.0.0/8'], ...options });
  onTestFinished(() => one.close());
  return one;
};
const post = (port: number, options?: Partial<PostOptions>, scheme = 'http') =>
  made(options).post({ url: `${scheme}://127.0.0.1:${port}/hook?a=b`, headers: { 'webhook-id': 'e1' }, body }, never);

describe('posting to a receiver', () => {
  it('a post sends the body and headers, and reports the result', async () => {
    const seen: [IncomingMessage, string][] = [];
    const port = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => {
          seen.push([request, Buffer.concat(chunks).toString()]);
          response.end('thank you');
        });
    });
    expect(await post(port)).toEqual({
      outcome: 'delivered',
      status: 200,
      error: null,
      excerpt: 'thank you',
      isGone: false,
      durationMs: expect.any(Number),
      endedAt: new Date(now),
    });
    const [[request, text] = []] = seen;
    expect([request?.method, request?.url, text]).toEqual(['POST', '/hook?a=b', body.toString()]);
    expect(request?.headers).toMatchObject({ 'webhook-id': 'e1', 'user-agent': 'Beckon-Webhooks' });
  });

  it('every 2xx is a success, 408, 429 and 5xx are retried, other statuses fail', async () => {
    let status = 0;
    const port = await receiver((request, response) => {
      request.resume();
      response.writeHead(status).end();
    });
    const { post: again } = made();
    const outcomes: Record<string, number[]> = { delivered: [], retry: [], failed: [] };
    const statuses = [
      200, 201, 202, 204, 299, 300, 301, 304, 307, 400, 401, 403, 404, 408, 409, 410, 418, 422, 425, 429,
    ];
    for (status of [...statuses, 500, 501, 502, 503, 504, 599]) {
      const result = await again({ url: `http://127.0.0.1:${port}/`, headers: {}, body }, never);
      expect(result).toMatchObject({ status, error: status < 300 ? null : `http_${status}`, isGone: status === 410 });
      outcomes[result.outcome]?.push(status);
    }
    expect(outcomes).toEqual({
      delivered: [200, 201, 202, 204, 299],
      retry: [408, 429, 500, 501, 502, 503, 504, 599],
      failed: [300, 301, 304, 307, 400, 401, 403, 404, 409, 410, 418, 422, 425],
    });
  });

  it('an incomplete response fails, a timeout is retried', async () => {
    const saying = (text: string) =>
      listening(createTcpServer((socket) => socket.once('data', () => socket.end(text)).on('error', () => undefined)));
    const early = await saying('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
    expect(await post(early)).toMatchObject({ outcome: 'failed', status: 103, error: 'http_103', excerpt: null });
    const switched = await saying('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    expect(await post(switched)).toMatchObject({ outcome: 'failed', status: 101, error: 'http_101' });
    const both = await saying('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    expect(await post(both)).toMatchObject({ outcome: 'delivered', status: 204 });
    const slow = await receiver((_, response) => response.writeProcessing());
    expect(await post(slow, { limitMs: LIMIT_MS })).toMatchObject({ outcome: 'retry', error: 'timeout' });
  });

  it('a post never follows a redirect', async () => {
    const visited: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      visited.push(request.url);
      response.writeHead(302, { location: '/inside' }).end();
    });
    expect(await post(port)).toMatchObject({ outcome: 'failed', status: 302 });
    expect(visited).toEqual(['/hook?a=b']);
  });

  it('every attempt ends within its time limit, whatever the receiver does', async () => {
    const silent = await receiver(() => undefined);
    const dripping = await receiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const deaf = await listening(createTcpServer(() => undefined));
    const timedOut = { outcome: 'retry', error: 'timeout' };
    const ends = await Promise.all([
      post(silent, { limitMs: LIMIT_MS }),
      // Its head has to come on a busy machine, too.
      post(dripping, { limitMs: 5 * LIMIT_MS }),
      post(deaf, { limitMs: LIMIT_MS }, 'https'),
      made({ limitMs: LIMIT_MS, resolver: () => new Promise(() => undefined) }).post(
        { url: 'http://receiver.test/', headers: {}, body },
        never,
      ),
    ]);
    // The head of an answer was there, its end was not: it may not have been understood.
    const statuses = [null, 200, null, null];
    expect(ends.map(({ outcome, error }) => ({ outcome, error }))).toEqual(ends.map(() => timedOut));
    expect(ends.map(({ status }) => status)).toEqual(statuses);
    for (const { durationMs } of ends) expect(durationMs).toBeGreaterThanOrEqual(LIMIT_MS - 1);
  });

  it('of an endless response 16 KiB are read and 1 KiB kept, and the status decides', async () => {
    let written = 0;
    const port = await receiver((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('é'.repeat(4_096))) written += 8_192;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { outcome, excerpt } = await post(port);
    expect(outcome).toBe('delivered');
    expect(excerpt).toBe('é'.repeat(512));
    expect(written).toBeLessThan(16 * 1_048_576);
  });

  it('the stored response contains only characters that both databases can store', async () => {
    const port = await receiver((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62])));
    expect((await post(port)).excerpt).toBe('a\u{FFFD}\u{FFFD}b');
    const cut = await receiver((_, response) => response.end(`${'a'.repeat(1_023)}é`));
    expect((await post(cut)).excerpt).toBe('a'.repeat(1_023));
  });

  it('a refused connection is retried, a blocked address fails', async () => {
    const port = await listening(createTcpServer((socket) => socket.destroy()));
    expect(await post(port)).toMatchObject({ outcome: 'retry', status: null, excerpt: null });
    expect(await post(port, { allowCidrs: [] })).toMatchObject({ outcome: 'failed', error: 'blocked_address' });
    expect(await post(port, { httpsOnly: true })).toMatchObject({ outcome: 'failed', error: 'invalid_url' });
    expect(await post(22)).toMatchObject({ outcome: 'failed', error: 'invalid_url' });
  });

  it('an attempt that Beckon aborts has no result', async () => {
    const port = await receiver(() => undefined);
    const stopping = new AbortController();
    const attempt = made().post({ url: `http://127.0.0.1:${port}/`, headers: {}, body }, stopping.signal);
    stopping.abort(new Error('stopping'));
    await expect(attempt).rejects.toThrow('stopping');
  });
});
