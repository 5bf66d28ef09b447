// External services of steps: a receiver of webhooks and a model provider, on loopback, which survive process crashes.
// The step's config determines the response, and nothing is random: requests over sockets have no fixed order.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startAi } from '../../transports/ai-stand-in.ts';

/** Response of a receiver: always the same, or 200 from the second request on. */
export const HOOKS = { taken: 200, refused: 404, later: 503 } as const;
export type Hook = keyof typeof HOOKS | 'second';
/** Models: one that answers and one that fails. */
export const MODELS = ['ok', '400'] as const;

export type Outside = Awaited<ReturnType<typeof openOutside>>;

export const openOutside = async () => {
  /** Attempts by the id of the posted body. */
  const posted = new Map<string, number>();
  const ai = await startAi();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const hook = request.url?.slice(1) ?? '';
    request.resume().once('end', () => {
      const attempts = (posted.get(id) ?? 0) + 1;
      posted.set(id, attempts);
      const status = hook === 'second' ? (attempts > 1 ? 200 : 503) : Reflect.get(HOOKS, hook);
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (hook: Hook): string => `http://127.0.0.1:${port}/${hook}`,
    models: ai.openai,
    posted,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await Promise.all([ai.stop(), new Promise((resolve) => server.close(resolve))]);
    },
  };
};
