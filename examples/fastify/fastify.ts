// Beckon inside a Fastify application: `npm run fastify`. With `--check` it places one order by itself and ends.
import { createBeckon } from '@beckon/core';
import { fastifyPlugin } from '@beckon/http/fastify';
import fastify from 'fastify';

const isCheck = process.argv.includes('--check');
// The environment `test` stores every message in the outbox; nothing leaves the machine.
const service = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
});
const beckon = service.project;
const { orgId, projectId } = beckon.scope;
const { secret: key } = await service.tenancy.createKey({
  kind: 'secret',
  environment: 'test',
  grants: [{ orgId, projectId }],
});

const app = fastify();
await app.register(fastifyPlugin(service));

app.post<{ Params: { userId: string }; Body: Record<string, unknown> }>('/orders/:userId', async (request, reply) => {
  const { userId } = request.params;
  await beckon.events.identify({ userId, traits: { email: `${userId}@example.com` } });
  await beckon.events.track({ module: 'shop', eventType: 'order.placed', userId, properties: request.body });
  const send = await beckon.email.send({
    userIds: [userId],
    subject: 'Thank you',
    text: 'We have your order.',
  });
  return reply.code(201).send(send);
});

const origin = await app.listen({ host: '127.0.0.1', port: isCheck ? 0 : 8094 });
console.log(`Order with: curl -X POST ${origin}/orders/ada -H 'content-type: application/json' -d '{"order":7}'`);

if (isCheck) {
  const json = (body: unknown) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  const order = await fetch(`${origin}/orders/ada`, json({ order: 7 }));
  if (order.status !== 201) throw new Error(`The order was answered ${order.status}.`);
  // The same server serves the HTTP API, with its own body format and errors.
  const event = { module: 'shop', eventType: 'order.paid', userId: 'ada' };
  for (const [path, body, expected] of [
    ['/api/v1/events', event, 200],
    ['/api/v1/events', { module: 'shop' }, 400],
    ['/api/v1/nothing', event, 404],
  ] as const) {
    const { status } = await fetch(`${origin}${path}`, json(body));
    if (status !== expected) throw new Error(`${path} was answered ${status} instead of ${expected}.`);
  }
  await service.worker.drain();
  const { data } = await beckon.outbox.list({ userId: 'ada' });
  if (data.length !== 1) throw new Error(`The outbox has ${data.length} messages.`);
  console.log('The order came in, and an email went out.');
  await app.close();
  await service.close();
} else {
  service.worker.start();
}
