// The whole service inside a program, without HTTP: a user and an event go in, a mail comes out.
import { createBeckon, newMasterKey, type Workflow } from '@beckon/core';

const beckon = await createBeckon({ db: 'sqlite::memory:', masterKey: newMasterKey() });
const org = await beckon.tenancy.createOrg({ name: 'Example' });
const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'Shop' });
// In `test` the sandbox keeps every message; nothing leaves the machine.
const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });

const subject = 'Thank you, {{trait.first_name}}';
const text = 'We have your order {{event.order}}.\nYou are known to us as {{user.userId}}.';
const workflow: Workflow = {
  name: 'Order received',
  description: null,
  trigger: { eventType: 'order.placed' },
  steps: [{ type: 'send_email', config: { class: 'transactional', subject, text } }],
  isActive: true,
};
await beckon.workflows.importBundle(scope, { version: 1, exportedAt: '2026-11-01', workflows: [workflow] });
await beckon.events.identify(scope, { userId: 'ada', traits: { first_name: 'Ada', email: 'ada@example.com' } });
const order = { module: 'shop', eventType: 'order.placed', userId: 'ada', properties: { order: 7 } };
await beckon.events.accept(scope, order);
// A program that goes on running calls beckon.worker.start() once instead.
await beckon.worker.drain();
const { data } = await beckon.outbox.list(scope, { userId: 'ada' });
await beckon.close();

const [message] = data;
if (message?.channel !== 'email') throw new Error('The outbox is empty: no message was sent.');
console.log(`To: ${message.address}\nSubject: ${message.content.subject}\n\n${message.content.text}`);
