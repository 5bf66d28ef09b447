// A program that uses the packages in strict mode: it compiles, and each of the twelve mistakes in it does not.
// scripts/check-packed.mjs compiles it against the packed packages. Nothing runs it.
import { type BeckonOptions, createBeckon, defineWorkflow, type Send, type WebhookEvent } from '@beckon/core';
import { verifyWebhook } from '@beckon/sdk-js/node';

const beckon = await createBeckon({ db: 'sqlite::memory:', org: { name: 'Acme' }, project: { name: 'Shop' } });
const app = beckon.project;
const mail = { subject: 'Hello', text: 'Hi {{user.userId}}' };

await app.events.track({ module: 'shop', eventType: 'order.placed', userId: 'ada', properties: { total: 12 } });
const sent: Send = await app.email.send({ ...mail, to: 'ada@example.com' });
const { messages } = await app.email.send({ ...mail, userIds: ['ada'], dryRun: true });
await app.audiences.create({ name: 'Pro', predicate: { all: [{ trait: 'plan', op: 'eq', value: 'pro' }] } });
await app.webhooks.create({ url: 'https://shop.example/hooks', events: ['email.bounced', 'push.opened'] });
const welcome = defineWorkflow({
  name: 'Welcome',
  trigger: { eventType: 'user.signed_up' },
  steps: [
    { type: 'wait', config: { minutes: 10 } },
    { type: 'send_email', config: mail },
  ],
});
await app.workflows.create(welcome);
const urlOf = (event: WebhookEvent): string | null => (event.type === 'email.clicked' ? event.data.url : null);
console.log(welcome.name satisfies 'Welcome', sent.id, messages.length, urlOf, verifyWebhook('{}', {}, []).type);

// 1. No recipient.
// @ts-expect-error
await app.email.send(mail);

// 2. Two kinds of recipients.
// @ts-expect-error
await app.email.send({ ...mail, to: 'ada@example.com', userIds: ['ada'] });

// 3. An operator that does not exist.
// @ts-expect-error
await app.audiences.create({ name: 'Pro', predicate: { trait: 'plan', op: 'equals', value: 'pro' } });

// 4. A misspelt event name.
// @ts-expect-error
await app.webhooks.create({ url: 'https://shop.example/hooks', events: ['email.bounce'] });

// 5. A missing option.
// @ts-expect-error
export const noDatabase: BeckonOptions = { masterKey: 'k' };

// 6. A dry run used as a send.
// @ts-expect-error
export const tried: Send = await app.email.send({ ...mail, to: 'ada@example.com', dryRun: true });

// 7. A field of another channel.
// @ts-expect-error
await app.sms.send({ to: '+14155550123', body: 'Hi', subject: 'Hello' });

// 8. A step type that does not exist.
// @ts-expect-error
await app.workflows.create({ name: 'Welcome', trigger: { eventType: 'a' }, steps: [{ type: 'send_fax', config: {} }] });

// 9. Data that the event does not have.
// @ts-expect-error
export const wrongData = (event: WebhookEvent) => event.type === 'email.opened' && event.data.url;

// 10. A scope passed to the client of a project, which has one.
// @ts-expect-error
await app.events.track(app.scope, { module: 'shop', eventType: 'order.placed', userId: 'ada' });

// 11. A misspelt key in the config of a step.
export const misspelt = () =>
  // @ts-expect-error
  defineWorkflow({ ...welcome, steps: [{ type: 'send_email', config: { subjct: 'Hello', text: 'Hi' } }] });

// 12. A wait for nothing, in a branch.
const wait = { type: 'wait', config: {} } as const;
export const endless = () =>
  // @ts-expect-error
  defineWorkflow({ ...welcome, steps: [{ type: 'branch', config: { else: { steps: [wait] }, branches: [] } }] });
