// Beckon inside a Hono application, which uses it through the SDK: `npm run hono`. With `--check` it places one order
// by itself and ends.
import { createBeckon } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { honoHandler } from '@beckon/http/hono';
import { createServerClient, verifyWebhook, WebhookError } from '@beckon/sdk-js/node';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const isCheck = process.argv.includes('--check');
const service = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
  // Webhooks go to public addresses only by default, and this application has none.
  outbound: { allowCidrs: ['127.0.0.1/32'] },
});
const { orgId, projectId } = service.project.scope;
const grants = [{ orgId, projectId }];
// In `test` the outbox stores every message; nothing leaves the machine.
const { secret: apiKey } = await service.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
const handler = createHandler(service);

// Within one process the client needs no socket.
const beckon = createServerClient({
  apiKey,
  baseUrl: 'http://beckon.internal',
  fetch: (url, init) => handler.fetch(new Request(url, init)),
});

const app = new Hono();
app.all('/api/v1/*', honoHandler(service));

app.post('/orders/:userId', async (c) => {
  const userId = c.req.param('userId');
  await beckon.events.identify({ userId, traits: { email: `${userId}@example.com` } });
  await beckon.events.track({ module: 'shop', eventType: 'order.placed', userId, properties: await c.req.json() });
  const send = await beckon.email.send({
    userIds: [userId],
    class: 'transactional',
    subject: 'Thank you',
    text: 'We have your order.',
  });
  return c.json(send, 201);
});

// Receives webhooks that use this URL.
app.post('/hooks', async (c) => {
  try {
    const delivery = verifyWebhook(await c.req.text(), c.req.raw.headers, process.env['WEBHOOK_SECRET'] ?? []);
    // `type` determines the shape of `data`.
    if (delivery.type === 'email.bounced') console.log(`Bounced: message ${delivery.data.messageId}`);
    else console.log(`Received ${delivery.type}`);
    return c.body(null, 204);
  } catch (error) {
    return c.body(null, error instanceof WebhookError ? 400 : 500);
  }
});

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: isCheck ? 0 : 8092 });
await new Promise<void>((done) => void server.once('listening', done));
const address = server.address();
const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
console.log(`Order with: curl -X POST ${baseUrl}/orders/ada -H 'content-type: application/json' -d '{"order":7}'`);

if (isCheck) {
  const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"order":7}' };
  const { status } = await fetch(`${baseUrl}/orders/ada`, order);
  if (status !== 201) throw new Error(`The order was answered ${status}.`);
  const hook = await beckon.webhooks.create({ url: `${baseUrl}/hooks`, events: ['email.delivered'] });
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
  // A program elsewhere uses the socket.
  const elsewhere = createServerClient({ apiKey, baseUrl });
  for await (const { eventType, properties } of elsewhere.profiles.events('ada'))
    console.log(eventType, JSON.stringify(properties));
  const { data } = await elsewhere.outbox.list({ userId: 'ada' }).page();
  if (data.length !== 1) throw new Error(`The sandbox caught ${data.length} messages.`);
  console.log('The order came in, and a mail went out.');
  await new Promise((done) => server.close(done));
  await service.close();
} else {
  service.worker.start();
}
