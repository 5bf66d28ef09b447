// Ids for tests of operations: rows that exist, created again if an operation deletes one.

import {
  type Beckon,
  type BodyName,
  CHANNELS,
  type Channel,
  type EmailRecipients,
  type Predicate,
  type Scope,
} from '@beckon/core';
import { expect } from 'vitest';
import { examples } from '../../../src/openapi/examples.ts';

/** The user in the examples. */
const USER = 'user-42';
let made = 0;
const next = (): string => `${++made}`;
const isRead = (body: unknown): body is Record<string, unknown> => typeof body === 'object' && body !== null;

/** The document's example body, with ids of existing rows. */
export const bodyOf = async (beckon: Beckon, scope: Scope, name: BodyName): Promise<unknown> => {
  const example = examples[name];
  if (!isRead(example)) return example;
  if (name === 'ClaimsTemplateInput') return example;
  if (name === 'WorkflowInput' || name === 'AudienceInput' || name.endsWith('TemplateInput'))
    return { ...example, name: `Created ${next()}` };
  if ('audienceId' in example) {
    const { id: audienceId } = await beckon.audiences.create(scope, { name: `Sent to ${next()}` });
    await beckon.audiences.addMembers(scope, audienceId, { userIds: [USER] });
    return { ...example, audienceId };
  }
  if (name === 'EmailDomainInput') return { ...example, domain: `d${next()}.test`, dkim: false };
  if (name === 'GeofenceEventInput') {
    const fence = { name: 'Shop', lat: 51, lng: 3, radiusMeters: 200 };
    return { ...example, geofenceId: (await beckon.geofences.create(scope, fence)).id };
  }
  if (!('sendId' in example)) return example;
  const send = await beckon.push.send(scope, { userIds: [USER], title: 't' });
  await beckon.worker.drain();
  return { ...example, sendId: 'id' in send ? send.id : '' };
};

/** Creates the rows that operations work on, and returns how each operation gets an id. */
export const operationIds = async (beckon: Beckon, scope: Scope): Promise<Record<string, () => Promise<string>>> => {
  await beckon.events.identify(scope, { userId: USER, traits: { email: 'ann@example.com', phone: '+14155550123' } });
  const workflow = async (steps: Parameters<Beckon['workflows']['create']>[1]['steps'] = []) => {
    const eventType = `event ${next()}`;
    const definition = { name: eventType, description: null, isActive: true, trigger: { eventType }, steps };
    const { id } = await beckon.workflows.create(scope, definition);
    return { id, eventType };
  };
  const runOf = async (steps: Parameters<typeof workflow>[0]) => {
    const { eventType } = await workflow(steps);
    const { id } = await beckon.events.track(scope, { module: 'm', eventType, userId: USER });
    await beckon.worker.drain();
    const [run] = (await beckon.runs.list(scope, { limit: 1 })).data;
    expect(run?.triggerEventId).toBe(id);
    return run?.id ?? '';
  };
  const waiting = () => runOf([{ type: 'wait', config: { minutes: 60 } }]);
  const stopped = () =>
    runOf([{ type: 'send_email', config: { subject: 's', text: 't', to: '{{trait.missing}}', onError: 'stop' } }]);
  const idOf = (send: object): string => ('id' in send ? String(send.id) : '');
  const sendOn: Record<Channel, (more: object) => Promise<object>> = {
    push: (more) => beckon.push.send(scope, { userIds: [USER], title: 't', ...more }),
    email: (more) => beckon.email.send(scope, { userIds: [USER], subject: 's', text: 't', ...more }),
    sms: (more) => beckon.sms.send(scope, { userIds: [USER], body: 't', ...more }),
  };
  for (const send of Object.values(sendOn)) await send({});
  await beckon.suppressions.add(scope, 'email', { address: 'listed@example.com' });
  await beckon.suppressions.add(scope, 'sms', { address: '+14155550177' });
  const device = () => beckon.tokens.register(scope, { token: `fcm:${next()}`, platform: 'android', userId: USER });
  await device();
  const tracked = async (
    pattern: RegExp,
    more: { readonly class?: 'transactional' } & EmailRecipients = { class: 'transactional', userIds: [USER] },
  ): Promise<string> => {
    await beckon.worker.drain();
    const sent = await beckon.email.send(scope, {
      // The documented settings limit marketing messages per user.
      ...more,
      subject: 's',
      bodyHtml: '<a href="https://shop.example/a">a</a>',
      tracking: { opens: true, clicks: true },
    });
    await beckon.worker.drain();
    const mails = (await beckon.outbox.list(scope, { channel: 'email' })).data;
    const mail = mails.find(({ sendId }) => sendId === idOf(sent));
    return pattern.exec(JSON.stringify(mail?.content).replaceAll('\\"', '"'))?.[1] ?? '';
  };
  const opened = () => tracked(/\/email\/o\/([\w.~-]+)/);
  const clicked = () => tracked(/\/email\/c\/([\w.~-]+)/);
  const unsubscribed = () => tracked(/\/unsubscribe\/([\w.~-]+)/, { to: `reader${next()}@example.com` });
  const running = await runOf([{ type: 'send_email', config: { subject: 's', text: 't' } }]);
  const activity = async () => {
    const externalId = `order ${next()}`;
    const token = { userId: USER, activityType: 'A', externalId, pushToken: next().padStart(64, '0') };
    await beckon.liveActivities.registerToken(scope, token);
    return externalId;
  };
  await activity();
  const geofence = async () =>
    (await beckon.geofences.create(scope, { name: `Shop ${next()}`, lat: 51, lng: 3, radiusMeters: 200 })).id;
  await geofence();
  const audience = async (predicate?: Predicate) =>
    (await beckon.audiences.create(scope, { name: `Audience ${next()}`, ...(predicate ? { predicate } : {}) })).id;
  const list = async () => {
    const id = await audience();
    await beckon.audiences.addMembers(scope, id, { userIds: [USER] });
    return id;
  };
  await list();
  const webhook = async () =>
    (await beckon.webhooks.create(scope, { url: 'https://shop.example/', events: ['sms.failed'], isPulled: true })).id;
  await webhook();
  const delivered = async () => {
    const { id, webhookId } = await beckon.webhooks.test(scope, await webhook());
    return { id, webhookId };
  };
  /** A cancelled delivery that never left the machine, of a webhook that is enabled again. */
  const cancelled = async () => {
    const url = 'https://shop.example/';
    const { id: webhookId } = await beckon.webhooks.create(scope, { url, events: ['sms.failed'] });
    const { id } = await beckon.webhooks.test(scope, webhookId);
    await beckon.webhooks.update(scope, webhookId, { isActive: false });
    await beckon.worker.drain();
    await beckon.webhooks.update(scope, webhookId, { isActive: true });
    return id;
  };
  const mailDomain = async () => (await beckon.emailDomains.create(scope, { domain: `d${next()}.test` })).id;
  await mailDomain();
  const person = async () => {
    const userId = `gone ${next()}`;
    await beckon.events.identify(scope, { userId, traits: { a: 1 } });
    return userId;
  };
  const secret = async () => (await beckon.secrets.set(scope, `S${next()}`, { value: 'v' })).name;
  await secret();
  const ids: Record<string, () => Promise<string>> = {
    'GET /events/{id}': async () => (await beckon.runs.get(scope, running)).triggerEventId,
    'GET /profiles/{userId}': async () => USER,
    'PATCH /profiles/{userId}': async () => USER,
    'GET /profiles/{userId}/events': async () => USER,
    'GET /profiles/{userId}/sends': async () => USER,
    'GET /profiles/{userId}/subscriptions': async () => USER,
    'PUT /profiles/{userId}/subscriptions': async () => await person(),
    'DELETE /profiles/{userId}': person,
    'GET /profiles/erasures/{id}': async () => (await beckon.profiles.erase(scope, await person())).erasureId,
    'GET /analytics/workflows/{id}': async () =>
      (await workflow([{ type: 'update_profile', config: { set: { seen: true } } }])).id,
    'GET /automation/workflows/{id}': async () =>
      (await workflow([{ type: 'update_profile', config: { set: { seen: true } } }])).id,
    'POST /automation/workflows/{id}/simulate': async () =>
      (await workflow([{ type: 'update_profile', config: { set: { seen: true } } }])).id,
    'PATCH /automation/workflows/{id}': async () => (await workflow()).id,
    'DELETE /automation/workflows/{id}': async () => (await workflow()).id,
    'PUT /automation/secrets/{name}': async () => 'TOKEN',
    'DELETE /automation/secrets/{name}': secret,
    'GET /automation/runs/{id}': async () => running,
    'POST /automation/runs/{id}/cancel': waiting,
    'POST /automation/runs/{id}/retry': stopped,
    'DELETE /push/tokens/{tokenId}': async () => (await device()).token.id,
    'PATCH /push/live-activities/{externalId}': activity,
    'DELETE /push/live-activities/{externalId}': activity,
    'POST /push/live-activities/{externalId}/end': activity,
    'GET /audiences/{id}': list,
    'GET /audiences/{id}/explain/{userId}': () => audience({ trait: 'plan', op: 'set' }),
    'PATCH /audiences/{id}': () => audience({ trait: 'plan', op: 'set' }),
    'DELETE /audiences/{id}': audience,
    'GET /audiences/{id}/members': list,
    'POST /audiences/{id}/members': audience,
    'POST /audiences/{id}/members/remove': list,
    'DELETE /audiences/{id}/members': list,
    'GET /push/geofences/{id}': geofence,
    'PATCH /push/geofences/{id}': geofence,
    'DELETE /push/geofences/{id}': geofence,
    'GET /webhooks/{id}': webhook,
    'PATCH /webhooks/{id}': webhook,
    'DELETE /webhooks/{id}': webhook,
    'POST /webhooks/{id}/rotate-secret': webhook,
    'POST /webhooks/{id}/test': webhook,
    'POST /webhooks/{id}/recover': webhook,
    'GET /webhooks/{id}/deliveries': async () => (await delivered()).webhookId,
    'GET /webhooks/deliveries/{id}': async () => (await delivered()).id,
    'POST /webhooks/deliveries/{id}/replay': cancelled,
    'POST /email/webhooks/{provider}': async () => 'postmark',
    'POST /sms/webhooks/{provider}/{orgId}': async () => 'twilio',
    'GET /email/domains/{id}': mailDomain,
    'DELETE /email/domains/{id}': mailDomain,
    'POST /email/domains/{id}/verify': mailDomain,
    'GET /email/o/{token}': opened,
    'HEAD /email/o/{token}': opened,
    'GET /email/c/{token}': clicked,
    'HEAD /email/c/{token}': clicked,
    'GET /unsubscribe/{token}': unsubscribed,
    'POST /unsubscribe/{token}': unsubscribed,
  };
  for (const channel of CHANNELS) {
    const send = (more: object) => sendOn[channel](more);
    const template = async () => {
      const name = `Template ${next()}`;
      if (channel === 'push')
        return (await beckon.templates.create(scope, channel, { name, title: 't', body: 'b' })).id;
      if (channel === 'sms') return (await beckon.templates.create(scope, channel, { name, body: 'b' })).id;
      return (await beckon.templates.create(scope, channel, { name, subject: 's', text: 't' })).id;
    };
    await template();
    const test = async () => {
      const variants = ['short', 'long'].map((key) => ({ key, weight: 50 }));
      return (await beckon.abTests.create(scope, channel, { name: 'T', variants })).id;
    };
    await test();
    for (const operation of ['GET', 'PATCH']) ids[`${operation} /${channel}/ab-tests/{id}`] = test;
    ids[`GET /${channel}/ab-tests/{id}/stats`] = test;
    ids[`POST /${channel}/ab-tests/{id}/complete`] = test;
    for (const operation of ['GET', 'PATCH', 'DELETE']) ids[`${operation} /${channel}/templates/{id}`] = template;
    ids[`POST /${channel}/templates/{id}/preview`] = template;
    ids[`GET /${channel}/sends/{id}`] = async () => idOf(await send({}));
    ids[`GET /${channel}/sends/{id}/messages`] = async () => idOf(await send({}));
    ids[`GET /${channel}/messages/{id}`] = async () => {
      const { data } = await beckon.sends.messages(scope, channel, idOf(await send({})));
      return data[0]?.id ?? '';
    };
    ids[`DELETE /${channel}/sends/{id}`] = async () => idOf(await send({ scheduledFor: '2026-03-02T12:00:00.000Z' }));
  }
  return ids;
};
