import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HostResolver } from '../../../foundation/net/lookup.ts';
import { turnsUntil } from '../testing/turns.ts';
import type { NetOptions } from './guarded-agent.ts';
import { guardedRequests, MAX_ANSWER_BYTES, type OutboundRequest } from './guarded-agent-request.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'] };
const never = new AbortController().signal;

const listening = async (server: Server, host = '127.0.0.1', port = 0) => {
  let hits = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    hits += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  return { port: address.port, hits: () => hits, open: () => sockets.size };
};

/** A peer that writes raw bytes instead of HTTP. */
const raw = (talk: (socket: Socket) => void) => listening(createTcpServer(talk));

const web = (answer: (request: IncomingMessage, response: ServerResponse) => void, host?: string, port?: number) =>
  listening(createServer(answer), host, port);

const requests = (options: NetOptions = LOOPBACK) => {
  const made = guardedRequests(options);
  onTestFinished(() => made.close());
  return made;
};

const get = (url: string, answer: OutboundRequest['answer'] = 'read'): OutboundRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  answer,
});

const as =
  (...addresses: string[]): HostResolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('guardedRequests', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ])('never reaches %s', async (host) => {
    const { port, hits } = await web((_, response) => response.end('secret'));
    await web((_, response) => response.end('secret'), '::1', port).catch(() => undefined);
    for (const scheme of ['http', 'https']) {
      const result = await requests({}).request(get(`${scheme}://${host}:${port}/`), never);
      expect(result).toEqual({ kind: 'none', code: 'ERR_SSRF_BLOCKED', isSent: false });
    }
    expect(hits()).toBe(0);
  });

  it('a name with one private address among public ones is never reached', async () => {
    const { port, hits } = await web((_, response) => response.end());
    const guarded = requests({ resolver: as('192.0.1.1', '127.0.0.1', '2606:4700::1') });
    const result = await guarded.request(get(`http://receiver.test:${port}/`), never);
    expect(result).toEqual({ kind: 'none', code: 'ERR_SSRF_BLOCKED', isSent: false });
    expect(hits()).toBe(0);
  });

  it('the client connects to the address that it checked, even if DNS has changed meanwhile', async () => {
    const seen: string[] = [];
    const trap = await web((_, response) => response.end(), '127.0.0.1');
    const public_ = await web(
      ({ headers }, response) => {
        seen.push(`${headers.host}`);
        response.end();
      },
      '127.0.0.2',
      trap.port,
    );
    let asked = 0;
    const rebinding: HostResolver = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
    const guarded = requests({ allowCidrs: ['127.0.0.2'], resolver: rebinding });
    const url = `http://receiver.test:${trap.port}/`;
    expect(await guarded.request(get(url), never)).toMatchObject({ kind: 'answer', status: 200 });
    expect(asked).toBe(1);
    expect(seen).toEqual([`receiver.test:${trap.port}`]);
    const second = await requests({ allowCidrs: ['127.0.0.2'], resolver: rebinding }).request(get(url), never);
    expect(second).toMatchObject({ code: 'ERR_SSRF_BLOCKED' });
    expect([public_.hits(), trap.hits()]).toEqual([1, 0]);
  });

  it('a redirect is not followed', async () => {
    const inside = await web((_, response) => response.end());
    const { port } = await web((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    expect(await requests().request(get(`http://127.0.0.1:${port}/`), never)).toMatchObject({ status: 302 });
    expect(inside.hits()).toBe(0);
  });

  it('an answer has status, headers in lower case and the bytes of the body', async () => {
    const { port } = await web((request, response) => {
      response.writeHead(418, { 'X-Thing': 'a', 'Retry-After': '5' });
      request.pipe(response);
    });
    const body = Buffer.from('Grüße, \u{1F600}');
    const result = await requests().request(
      {
        url: new URL(`http://127.0.0.1:${port}/a?b=c`),
        method: 'POST',
        headers: { 'content-type': 'x/y' },
        body,
        answer: 'read',
      },
      never,
    );
    expect(result).toMatchObject({ kind: 'answer', status: 418, headers: { 'x-thing': 'a', 'retry-after': '5' } });
    expect(result.kind === 'answer' && Buffer.from(result.body).equals(body)).toBe(true);
  });

  it.each(['read', 'ignore'] as const)('an endless body is read up to its limit only (%s)', async (answer) => {
    let isStopped = false;
    const { port, open } = await web((_, response) => {
      response.on('close', () => {
        isStopped = true;
      });
      const more = (): void => {
        while (!isStopped && response.write(Buffer.alloc(16_384, 'x')));
        response.once('drain', more);
      };
      more();
    });
    const result = await requests().request(get(`http://127.0.0.1:${port}/`, answer), never);
    expect(result).toMatchObject({ kind: 'answer', status: 200 });
    expect(result.kind === 'answer' && result.body.length).toBe(answer === 'read' ? MAX_ANSWER_BYTES : 0);
    await expect.poll(open).toBe(0);
  });

  it('an endless stream of interim answers ends the request and closes its connection', async () => {
    let written = 0;
    const { port, open } = await raw((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(8)))
          written += 8;
        if (!socket.destroyed) socket.once('drain', more);
      };
      socket.once('data', more);
    });
    const result = await requests().request(get(`http://127.0.0.1:${port}/`), never);
    expect(result).toEqual({ kind: 'none', code: 'too_many_interim_answers', isSent: true, informational: 103 });
    await expect.poll(open).toBe(0);
    expect(written).toBeGreaterThan(32);
  });

  it('the answer after as many interim answers as a patient proxy sends is accepted', async () => {
    const { port } = await raw((socket) => {
      socket.once('data', () =>
        socket.end(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(32)}HTTP/1.1 204 No Content\r\n\r\n`),
      );
    });
    expect(await requests().request(get(`http://127.0.0.1:${port}/`), never)).toMatchObject({ status: 204 });
  });

  it('slow interim answers end at the time limit', async () => {
    const { port, open } = await raw((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
      socket.once('close', () => clearInterval(timer));
    });
    await aborted(LOOPBACK, `http://127.0.0.1:${port}/`, 100);
    await expect.poll(open).toBe(0);
  });

  it('an ignored answer resolves before its body arrives', async () => {
    const { port, open } = await web((_, response) => {
      response.writeHead(201);
      response.write('x');
    });
    const guarded = requests();
    const asking = guarded.request(get(`http://127.0.0.1:${port}/`, 'ignore'), never);
    expect(await turnsUntil(asking)).toBeLessThan(2_000);
    expect(await asking).toMatchObject({ status: 201 });
    await guarded.close();
    expect(open()).toBe(0);
  });

  it('connections are reused after ignored answers', async () => {
    const { port, hits } = await web((_, response) => response.end('some text'));
    const guarded = requests();
    for (let turn = 0; turn < 20; turn += 1) await guarded.request(get(`http://127.0.0.1:${port}/`, 'ignore'), never);
    expect(hits()).toBeLessThanOrEqual(2);
  });

  const aborted = async (options: NetOptions, url: string, waitMs = 30) => {
    const controller = new AbortController();
    const sending = requests(options).request(get(url), controller.signal);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    controller.abort(new DOMException('late', 'TimeoutError'));
    expect(await turnsUntil(sending)).toBeLessThan(500);
    return sending;
  };

  it('a request whose DNS does not answer is abandoned', async () => {
    const resolver: HostResolver = () => new Promise(() => undefined);
    const result = await aborted({ ...LOOPBACK, resolver }, 'http://receiver.test/');
    expect(result).toEqual({ kind: 'none', code: 'timeout', isSent: false });
  });

  it('a request whose peer does not speak TLS is abandoned, and its pending connection is closed', async () => {
    const silent = await listening(createTcpServer((socket) => socket.resume()));
    const result = await aborted(LOOPBACK, `https://127.0.0.1:${silent.port}/`, 100);
    expect(result).toEqual({ kind: 'none', code: 'timeout', isSent: false });
    expect(silent.hits()).toBe(1);
    await expect.poll(silent.open).toBe(0);
  });

  it('a request whose peer does not answer is abandoned and reported as sent', async () => {
    const silent = await listening(createTcpServer((socket) => socket.resume()));
    const result = await aborted(LOOPBACK, `http://127.0.0.1:${silent.port}/`, 100);
    expect(result).toEqual({ kind: 'none', code: 'timeout', isSent: true });
    await expect.poll(silent.open).toBe(0);
  });

  it('an answer that arrives too slowly is abandoned', async () => {
    const { port, open } = await web((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect(await aborted(LOOPBACK, `http://127.0.0.1:${port}/`, 60)).toMatchObject({ code: 'timeout', isSent: true });
    await expect.poll(open).toBe(0);
  });

  it('nothing is sent over a connection that is made after the abort', async () => {
    const paths: (string | undefined)[] = [];
    const receiver = await web(({ url }, response) => {
      paths.push(url);
      response.end();
    });
    const name = Promise.withResolvers<void>();
    const slow: HostResolver = async () => {
      await name.promise;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const guarded = requests({ ...LOOPBACK, resolver: slow });
    const controller = new AbortController();
    const url = `http://receiver.test:${receiver.port}`;
    const left = guarded.request(get(`${url}/left`), controller.signal);
    const stays = guarded.request(get(`${url}/stays`), never);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    expect(await left).toEqual({ kind: 'none', code: 'aborted', isSent: false });
    name.resolve();
    expect(await stays).toMatchObject({ status: 200 });
    expect(paths).toEqual(['/stays']);
  });

  it('a refused connection or an unknown name proves that nothing was sent', async () => {
    const { port } = await web((_, response) => response.end());
    const unknown = requests({ ...LOOPBACK, resolver: as() });
    expect(await unknown.request(get(`http://receiver.test:${port}/`), never)).toMatchObject({
      code: 'ENOTFOUND',
      isSent: false,
    });
    expect(await requests().request(get('http://127.0.0.1:1/'), never)).toMatchObject({
      code: 'ECONNREFUSED',
      isSent: false,
    });
  });

  it('an invalid allowed network throws at construction', () => {
    expect(() => guardedRequests({ allowCidrs: ['everywhere'] })).toThrow(TypeError);
  });
});
