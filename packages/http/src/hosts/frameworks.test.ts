// The adapters in the real frameworks, over real sockets. Next.js is too large to install for it: its part is played by
// a server that makes a `Request` of what it reads, as Next.js does.

import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { createBeckon } from '@beckon/core';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import { expressHandler } from './express.ts';
import { fastifyPlugin } from './fastify.ts';
import { honoHandler } from './hono.ts';
import { nextHandlers } from './next.ts';
import type { HostOptions } from './shared.ts';

const beckon = await createBeckon({ db: 'sqlite::memory:' });
const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Example' });
const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
const grants = [{ orgId, projectId }];
const { secret: key } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
afterAll(() => beckon.close());

/** A listening app, and how it stops. */
type Running = { readonly port: number; stop(): Promise<unknown> };
/** Starts an app with an adapter at the path, or at its usual place. */
type Start = (options: HostOptions, mount?: string) => Promise<Running>;

const running = async (server: Server): Promise<Running> => {
  if (!server.listening) await new Promise((done) => server.once('listening', done));
  // Safe: a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { port, stop };
};

const HOSTS: Readonly<Record<string, Start>> = {
  express: async (options, mount) => {
    const app = express();
    // Express writes errors to the console unless the environment is `test`.
    app.set('env', 'test');
    if (mount === undefined) app.use(expressHandler(beckon, options));
    else app.use(mount, expressHandler(beckon, options));
    const onError: express.ErrorRequestHandler = (error, _request, response, _next) =>
      void response.status(500).send(String(error));
    app.use(onError);
    return running(app.listen(0, '127.0.0.1'));
  },
  fastify: async (options, mount) => {
    const app = fastify();
    await app.register(fastifyPlugin(beckon, options), mount === undefined ? {} : { prefix: mount });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port, stop } = await running(app.server);
    return { port, stop: async () => Promise.all([stop(), app.close()]) };
  },
  hono: async ({ health, ...options }, mount = '/api/v1') => {
    const app = new Hono();
    const handle = honoHandler(beckon, options);
    app.all(`${mount}/*`, handle);
    app.get('/beckon-sw.js', handle);
    if (health === true) for (const path of ['/healthz', '/readyz']) app.get(path, handle);
    app.onError((error, context) => context.text(String(error), 500));
    // Safe: this server is of node:http, as its options say nothing else.
    return running(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
  next: async ({ health, ...options }, mount = '/api/v1') => {
    const { GET, POST } = nextHandlers(() => beckon, options);
    const files = ['/beckon-sw.js', ...(health === true ? ['/healthz', '/readyz'] : [])];
    const server = createServer(async (incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      if (!url.startsWith(`${mount}/`) && !files.includes(url)) return outgoing.writeHead(404).end();
      try {
        const answer =
          method === 'POST'
            ? await POST(
                new Request(`http://app.test${url}`, {
                  ...{ method, headers: sent, duplex: 'half' },
                  // Safe: Node.js and the DOM declare the same class of streams.
                  body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
                }),
              )
            : await GET(new Request(`http://app.test${url}`, { headers: sent }));
        return outgoing.writeHead(answer.status).end(await answer.text());
      } catch (error) {
        return outgoing.writeHead(500).end(String(error));
      }
    });
    return running(server.listen(0, '127.0.0.1'));
  },
};

const ask = async ({ port }: Running, path: string, body?: object): Promise<[number, string]> => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const call = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, call);
  return [response.status, await response.text()];
};
const EVENT = { module: 'shop', eventType: 'order.placed', userId: 'ada' };

describe.each(Object.entries(HOSTS))('the adapter for %s', (name, start) => {
  it(`${name}: the API and the service worker are served, health checks on request`, async () => {
    const [plain, withHealth] = [await start({}), await start({ health: true })];
    expect((await ask(plain, '/api/v1/events', EVENT))[0]).toBe(200);
    expect(await ask(plain, '/beckon-sw.js')).toEqual([200, expect.stringContaining('addEventListener')]);
    expect((await ask(plain, '/healthz'))[0]).toBe(404);
    for (const path of ['/healthz', '/readyz']) expect((await ask(withHealth, path))[0], path).toBe(200);
    await Promise.all([plain.stop(), withHealth.stop()]);
  });

  it(`${name}: a mount path works as basePath, and another one is a clear error`, async () => {
    const mounted = await start({ basePath: '/beckon' }, '/beckon');
    expect((await ask(mounted, '/beckon/events', EVENT))[0]).toBe(200);
    await mounted.stop();
    // Fastify knows the prefix before it listens, so it rejects there.
    const failure = await start({}, '/beckon').then(
      async (wrong) => {
        const [status, text] = await ask(wrong, '/beckon/events', EVENT);
        await wrong.stop();
        return status === 500 ? text : `answered ${status}`;
      },
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(
      /^TypeError: .* is mounted at "\/beckon.*", but its basePath is "\/api\/v1"\. Pass \{ basePath: '\/beckon/,
    );
  });

  it(`${name}: a client that disconnects while it sends a body ends its request at once, and nothing is stored`, async () => {
    const answered = Promise.withResolvers<number>();
    const app = await start({ onAnswered: (_route, _method, status) => answered.resolve(status) });
    const before = (await beckon.events.list(scope)).data.length;
    const socket = connect(app.port, '127.0.0.1');
    const head = [
      'POST /api/v1/events HTTP/1.1',
      ...['Host: app.test', `X-Api-Key: ${key}`, 'Content-Type: application/json'],
      ...['Content-Length: 1000', 'Expect: 100-continue', '', ''],
    ];
    const continues = new Promise((done) => socket.once('data', done));
    socket.write(head.join('\r\n'));
    expect(String(await continues)).toMatch(/^HTTP\/1\.1 100 /);
    socket.write(JSON.stringify(EVENT), () => socket.destroy());
    expect(await answered.promise).toBe(400);
    expect((await beckon.events.list(scope)).data.length).toBe(before);
    await app.stop();
  });
});
