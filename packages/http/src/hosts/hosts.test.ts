import { createServer, type RequestListener } from 'node:http';
import { createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressHandler } from './express.ts';
import { fastifyPlugin } from './fastify.ts';
import { honoHandler } from './hono.ts';
import { nextHandlers } from './next.ts';

const beckon = await createBeckon({ db: 'sqlite::memory:', masterKey: newMasterKey() });
let key = '';
beforeAll(async () => {
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Example' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
  key = (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants: [{ orgId, projectId }] }))
    .secret;
});
afterAll(() => beckon.close());

/** The status that a server with this listener answers to an event, and its text. */
const postEvent = async (listener: RequestListener, path = '/api/v1/events'): Promise<[number, string]> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, eventCall());
    return [response.status, await response.text()];
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
const eventCall = () => ({
  method: 'POST',
  headers: { 'x-api-key': key, 'content-type': 'application/json' },
  body: '{"module":"shop","eventType":"order.placed","userId":"ada"}',
});
const request = () => new Request('http://app.test/api/v1/events', eventCall());

describe('adapters for host frameworks', () => {
  it('expressHandler answers requests below basePath and passes others on', async () => {
    const handle = expressHandler(beckon);
    const listener: RequestListener = (req, res) => handle(req, res, () => res.writeHead(418).end());
    expect((await postEvent(listener))[0]).toBe(200);
    expect((await postEvent(listener, '/orders'))[0]).toBe(418);
    expect((await postEvent(listener, '/api/v10/events'))[0]).toBe(418);
  });

  it('expressHandler works mounted at basePath, where url lacks the mount path', async () => {
    const handle = expressHandler(beckon);
    const [status] = await postEvent((req, res) => {
      const mounted = Object.assign(req, { originalUrl: req.url ?? '', url: (req.url ?? '').replace('/api/v1', '') });
      handle(mounted, res, () => res.writeHead(418).end());
    });
    expect(status).toBe(200);
  });

  it('expressHandler passes a TypeError on if a parser has read the body', async () => {
    const handle = expressHandler(beckon);
    const [status, text] = await postEvent((req, res) => {
      req.on('end', () => handle(req, res, (error) => res.writeHead(500).end(String(error)))).resume();
    });
    expect([status, text]).toEqual([500, expect.stringContaining('Register expressHandler before')]);
  });

  it('honoHandler answers a context, with the client address of the Node.js server', async () => {
    const seen: (string | undefined)[] = [];
    const handle = honoHandler(beckon, { addressOf: undefined });
    const env = { incoming: { socket: { remoteAddress: '203.0.113.7' } } };
    expect((await handle({ req: { raw: request(), path: '/api/v1/events' }, env })).status).toBe(200);
    const addressOf = ({ env: environment }: { readonly env?: unknown }): string => {
      seen.push(String(environment));
      return '203.0.113.8';
    };
    const custom = honoHandler(beckon, { addressOf });
    expect((await custom({ req: { raw: request(), path: '/api/v1/events' }, env: 'edge' })).status).toBe(200);
    expect(seen).toEqual(['edge']);
  });

  it('honoHandler rejects with a TypeError if middleware has read the body', async () => {
    const raw = request();
    await raw.text();
    await expect(honoHandler(beckon)({ req: { raw, path: '/api/v1/events' } })).rejects.toThrow(
      'Register honoHandler before',
    );
  });

  it('nextHandlers opens Beckon once, with the first request, and again after a failure', async () => {
    let opened = 0;
    const { POST, GET } = nextHandlers(async () => {
      opened += 1;
      if (opened === 1) throw new Error('no database yet');
      return beckon;
    });
    expect(opened).toBe(0);
    await expect(POST(request())).rejects.toThrow('no database yet');
    const answers = await Promise.all([POST(request()), GET(new Request('http://app.test/api/v1/nothing'))]);
    expect([answers.map(({ status }) => status), opened]).toEqual([[200, 404], 2]);
  });

  it('fastifyPlugin hijacks replies below basePath and leaves bodies unread', async () => {
    const parsers: string[] = [];
    let route: ((request: never, reply: never) => Promise<void>) | undefined;
    const paths: string[] = [];
    await fastifyPlugin(beckon)({
      prefix: '',
      removeAllContentTypeParsers: () => parsers.splice(0),
      addContentTypeParser: (type) => parsers.push(type),
      all: (pattern, handler) => {
        paths.push(pattern);
        route = handler;
      },
    });
    expect([paths, parsers]).toEqual([['/api/v1/*', '/beckon-sw.js'], ['*']]);
    let hijacked = 0;
    const [status] = await postEvent((raw, res) =>
      // Safe: the parts of Fastify's request and reply that the adapter uses.
      route?.({ raw } as never, { raw: res, hijack: () => (hijacked += 1) } as never),
    );
    expect([status, hijacked]).toEqual([200, 1]);
    // Safe: the only property of a request that is read before the reply is hijacked.
    const consumed = route?.({ raw: { readableDidRead: true } } as never, {} as never);
    await expect(consumed).rejects.toThrow('Register fastifyPlugin before');
  });
});
