import { once } from 'node:events';
import { honoHandler } from '@beckon/http/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { App } from './beckon.ts';

/** The application, listening. */
export const startServer = async (beckon: App, port: number) => {
  const app = new Hono();
  const handler = honoHandler(beckon);
  app.all('/api/v1/*', handler);
  for (const path of ['/beckon-sw.js', '/healthz', '/readyz']) app.get(path, handler);

  app.post('/sign-up', async (c) => {
    const { userId, email, name } = await c.req.json();
    await beckon.project.events.identify({ userId, traits: { email, name } });
    await beckon.project.events.track({ module: 'app', eventType: 'account.created', userId });
    return c.json({ userId }, 201);
  });

  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port });
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
};
