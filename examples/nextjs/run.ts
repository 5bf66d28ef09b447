/*
 * Beckon inside a Next.js application: `npm run nextjs`. With `--check` it places one order by itself and ends. `app`,
 * `lib` and `instrumentation.ts` are what an application contains; this file replaces Next.js, which is far larger than
 * the rest: it finds the route handlers like Next.js and calls them with the same arguments.
 */
import { globSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createServerClient } from '@beckon/sdk-js/node';
import { register } from './instrumentation.ts';
import { opened } from './lib/beckon.ts';

type Handler = (request: Request, context: { readonly params: Promise<object> }) => Promise<Response>;
type Route = { readonly pattern: RegExp; readonly handlers: Readonly<Record<string, Handler>> };

const isCheck = process.argv.includes('--check');
const folder = fileURLToPath(new URL('./app', import.meta.url));

/** `/orders/[userId]` is one segment of a path, `/api/v1/[...path]` any number of them. */
const patternOf = (file: string): RegExp => {
  const parts = file.split('/').slice(0, -1);
  const groups = parts.map((part) =>
    part.replace(/^\[\.{3}(\w+)\]$/, '(?<$1>.+)').replace(/^\[(\w+)\]$/, '(?<$1>[^/]+)'),
  );
  return new RegExp(`^/${groups.join('/')}$`);
};
const routes: Route[] = [];
for (const file of globSync('**/route.ts', { cwd: folder }))
  routes.push({ pattern: patternOf(file), handlers: { ...(await import(`${folder}/${file}`)) } });

const answer = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  for (const { pattern, handlers } of routes) {
    const match = pattern.exec(pathname);
    const handler = match && handlers[request.method];
    if (handler) return handler(request, { params: Promise.resolve({ ...match.groups }) });
  }
  return new Response('Not found', { status: 404 });
};

const requestOf = async (incoming: IncomingMessage, host: string): Promise<Request> => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
  return new Request(host + incoming.url, { method: incoming.method ?? 'GET', headers, body });
};

const server = createServer((incoming, outgoing) => {
  requestOf(incoming, host)
    .then(answer)
    .then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    })
    .catch(() => outgoing.writeHead(500).end());
});
await new Promise<void>((done) => void server.listen(isCheck ? 0 : 8093, '127.0.0.1', done));
const address = server.address();
const host = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
console.log(`Order with: curl -X POST ${host}/orders/ada -H 'content-type: application/json' -d '{"order":7}'`);

if (isCheck) {
  const { service, beckon } = await opened();
  const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"order":7}' };
  const { status } = await fetch(`${host}/orders/ada`, order);
  if (status !== 201) throw new Error(`The order was answered ${status}.`);
  const hook = await beckon.webhooks.create({ url: `${host}/hooks`, events: ['email.delivered'] });
  // A delivery with another signature is rejected, the service's own is accepted.
  for (const [secret, wanted] of [
    ['whsec_c29tZWJvZHkgZWxzZQ==', 400],
    [hook.secret, 204],
  ] as const) {
    process.env['WEBHOOK_SECRET'] = secret;
    const { id } = await beckon.webhooks.test(hook.id);
    await service.worker.drain();
    const { attempts } = await beckon.webhooks.delivery(id);
    if (attempts[0]?.status !== wanted) throw new Error(`A delivery was answered ${attempts[0]?.status}.`);
  }
  for await (const { eventType, properties } of beckon.profiles.events('ada'))
    console.log(eventType, JSON.stringify(properties));
  const { data } = await beckon.outbox.list({ userId: 'ada' }).page();
  if (data.length !== 1) throw new Error(`The sandbox caught ${data.length} messages.`);
  // A program elsewhere reaches the service through the application.
  const stranger = createServerClient({ apiKey: 'sk_test_none', baseUrl: host });
  const refused = await stranger.events
    .list()
    .page()
    .catch((error: unknown) => error);
  if (!(refused instanceof Error && 'status' in refused && refused.status === 401))
    throw new Error('The interface is not served.');
  console.log('The order came in, and a mail went out.');
  server.close();
  server.closeAllConnections();
  await service.close();
} else {
  await register();
}
