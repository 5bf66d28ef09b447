// A page with tracking, and what the service receives: `npm run web`, then open the URL. `--check` visits it by itself.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createBeckon } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { createClient } from '@beckon/sdk-js';
import { build } from 'esbuild';

const isCheck = process.argv.includes('--check');
const beckon = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
});
const app = beckon.project;
const { orgId, projectId } = app.scope;
const grants = [{ orgId, projectId }];
const { secret: apiKey } = await beckon.tenancy.createKey({ kind: 'public', environment: 'test', grants });

const file = (name: string): string => fileURLToPath(new URL(`./site/${name}`, import.meta.url));
const page = readFileSync(file('index.html'), 'utf8').replace('PUBLIC_KEY', apiKey);
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
const programs = new Map(bundled.outputFiles.map(({ path, text }) => [path.replace(/.*\//, '/'), text]));

const received = async (): Promise<string> => JSON.stringify((await app.events.list({ limit: 50 })).data);
const api = createHandler(beckon);
const server = createServer((request, response) => {
  const path = request.url ?? '/';
  const answer = (type: string, text: string): void => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
  };
  const program = programs.get(path.replace(/\?.*/, ''));
  // The service also serves the service worker, which must come from the page's own origin.
  if (/^\/(?:api\/v1\/|beckon-sw\.js)/.test(path)) api.node(request, response);
  else if (program !== undefined) answer('text/javascript', program);
  else if (path === '/received')
    received().then(
      (text) => answer('application/json', text),
      () => response.writeHead(500).end(),
    );
  else answer('text/html', page);
});
await new Promise<void>((done) => void server.listen(isCheck ? 0 : 8090, '127.0.0.1', done));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
console.log(`Open ${url}`);

if (isCheck) {
  for (const path of ['/', '/page.js', '/beckon-sw.js']) {
    const response = await fetch(url + path);
    if (!response.ok || (await response.text()).length < 500) throw new Error(`${path} is not what a browser needs.`);
  }
  const client = createClient({ apiKey, baseUrl: url });
  client.track('cart.filled', { item: 'Kettle', price: 39 });
  await client.flush();
  client.close();
  const rows = await (await fetch(`${url}/received`)).text();
  if (!rows.includes('cart.filled')) throw new Error(`The service received ${rows}.`);
  console.log('The page, its programs and what it tracks are there.');
  server.close();
  server.closeAllConnections();
  await beckon.close();
} else {
  beckon.worker.start();
}
