import { once } from 'node:events';
import { expressHandler } from '@beckon/http/express';
import express from 'express';
import type { App } from './beckon.ts';

/** The application, listening. */
export const startServer = async (beckon: App, port: number) => {
  const app = express();
  // The API of Beckon is below /api/v1. It comes before body parsers, because Beckon reads its bodies itself.
  app.use(expressHandler(beckon, { health: true }));

  app.post('/sign-up', express.json(), async (request, response) => {
    const { userId, email, name } = request.body;
    await beckon.project.events.identify({ userId, traits: { email, name } });
    await beckon.project.events.track({ module: 'app', eventType: 'account.created', userId });
    response.status(201).json({ userId });
  });

  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
};
