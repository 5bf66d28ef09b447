import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type BeckonOptions, createBeckon } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { build } from 'esbuild';

const file = (name: string): string => fileURLToPath(new URL(`./site/${name}`, import.meta.url));

/**
 * Starts the service in this process, and the page on the same origin.
 *
 * @param port of `localhost`, which browsers treat as secure: passkeys and PKCE need that; 0 picks a free one
 * @param options of the service besides those that the example sets
 */
export const openHost = async (port: number, options: Partial<BeckonOptions> = {}) => {
  const bundled = await build({
    entryPoints: [file('page.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // The sources of this clone; with the package from the registry no condition is needed.
    conditions: ['@beckon/source'],
    outdir: 'site',
    write: false,
  });
  const program = bundled.outputFiles[0]?.text ?? '';
  const server = createServer();
  await new Promise<void>((done) => void server.listen(port, '127.0.0.1', done));
  const address = server.address();
  const url = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;

  const beckon = await createBeckon({
    ...options,
    db: 'sqlite::memory:',
    masterKey: process.env['BECKON_MASTER_KEY'],
    org: { name: 'Example' },
    project: { name: 'Shop' },
    publicUrl: url,
  });
  const app = beckon.project;
  const { orgId, projectId } = app.scope;
  await beckon.auth.updateSettings(app.scope, { redirectUris: [`${url}/`], anonymous: { enabled: true } });
  const grants = [{ orgId, projectId }];
  const { secret: apiKey } = await beckon.tenancy.createKey({ kind: 'public', environment: 'test', grants });
  const page = readFileSync(file('index.html'), 'utf8').replace('PUBLIC_KEY', apiKey);
  const outbox = async (): Promise<string> => {
    const { data } = await beckon.outbox.list(app.scope, { limit: 20 });
    return data.map(({ address: to, content }) => `To ${to}\n${'text' in content ? content.text : ''}`).join('\n\n');
  };
  let refreshes = 0;
  const api = createHandler(beckon);
  server.on('request', (request, response) => {
    const path = request.url ?? '/';
    const answer = (type: string, text: string): void => {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
    };
    if (path.endsWith('/token/refresh')) refreshes += 1;
    if (path.startsWith('/api/v1/')) api.node(request, response);
    else if (path === '/page.js') answer('text/javascript', program);
    else if (path === '/outbox')
      outbox().then(
        (text) => answer('text/plain', text),
        () => response.writeHead(500).end(),
      );
    else answer('text/html', page);
  });
  beckon.worker.start();
  return {
    ...{ url, beckon, scope: app.scope },
    /** Requests for new tokens so far. */
    refreshes: (): number => refreshes,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await beckon.close();
    },
  };
};
export type Host = Awaited<ReturnType<typeof openHost>>;
