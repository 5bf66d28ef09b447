// Beckon inside a program, without HTTP: a user and an event cause an email.
import { createBeckon, defineWorkflow } from '@beckon/core';

// The organization and the project are created the first time. In `test` the outbox stores every message.
const beckon = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
});
const app = beckon.project;

const subject = 'Thank you, {{trait.first_name}}';
const text = 'We have your order {{event.order}}.\nYou are known to us as {{user.userId}}.';
// A misspelt key, a missing one or an unknown step type does not compile.
const workflow = defineWorkflow({
  name: 'Order received',
  trigger: { eventType: 'order.placed' },
  steps: [{ type: 'send_email', config: { class: 'transactional', subject, text } }],
  isActive: true,
});
await app.workflows.create(workflow);
await app.events.identify({ userId: 'ada', traits: { first_name: 'Ada', email: 'ada@example.com' } });
const order = { module: 'shop', eventType: workflow.trigger.eventType, userId: 'ada', properties: { order: 7 } };
await app.events.track(order);
// A long-running program calls beckon.worker.start() once instead.
await beckon.worker.drain();
const { data } = await app.outbox.list({ userId: 'ada' });
await beckon.close();

const [message] = data;
if (message?.channel !== 'email') throw new Error('The outbox is empty: no message was sent.');
console.log(`To: ${message.address}\nSubject: ${message.content.subject}\n\n${message.content.text}`);
