import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWatching, type Watching, workflowOn } from '../../../test/support/events/watching.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import { webhookEventSchema } from '../../app/webhook-events.ts';
import type { Scope } from '../../foundation/scope.ts';
import { CATALOG, type CatalogName } from './catalog.ts';

// Safe: the keys of a constant object.
const NAMES = Object.keys(CATALOG) as CatalogName[];
// Events of sign-in: identity/events.db.test.ts.
const EMITTED = NAMES.filter((name) => CATALOG[name].module !== 'auth');
/** Runs raise these names themselves, so a workflow on one would start itself: each gets its own project. */
const OF_RUNS = EMITTED.filter((name) => name.startsWith('workflow.'));
const REST = EMITTED.filter((name) => !name.startsWith('workflow.'));
const KIM = '+14155550177';
const TOKEN = 'a'.repeat(32);
const LINK = /https:\/\/beckon\.test\/api\/v1\/email\/([oc])\/([\w-]+)/g;

/** Performs, through the public API, one operation per name; each uses a user of its own. */
const operations = (world: Watching, scope: Scope) => {
  const { beckon, clock } = world;
  const push = async (body: Readonly<Record<string, unknown>>) => {
    const sent = await beckon.push.send(scope, unchecked({ title: 'Hello', ...body }));
    return sent.id;
  };
  const only = async (sendId: string): Promise<string> =>
    (await beckon.sends.messages(scope, 'push', sendId)).data[0]?.id ?? '';
  const device = (userId: string, token: string) =>
    beckon.tokens.register(scope, { token, platform: 'android', userId });

  /** Posts a Twilio callback of the project. */
  const texted = async (fields: Readonly<Record<string, string>>, query = '') => {
    const { data: urls } = await beckon.callbacks.urls(scope);
    const url = `${urls.find(({ provider }) => provider === 'twilio')?.url}${query}`;
    const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
    const signed = createHmac('sha1', TOKEN)
      .update(url + sorted.flat().join(''))
      .digest('base64');
    await beckon.callbacks.receive({
      channel: 'sms',
      provider: 'twilio',
      orgId: scope.orgId,
      method: 'POST',
      path: new URL(url).pathname,
      query: new URL(url).search.slice(1),
      header: (name) => (name === 'x-twilio-signature' ? signed : undefined),
      body: Buffer.from(new URLSearchParams(fields).toString()),
    });
  };

  return async (): Promise<void> => {
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    await beckon.events.identify(scope, { userId: 'bob', traits: { email: 'sandbox-dead@example.com' } });
    await beckon.events.identify(scope, { userId: 'eve', traits: { phone: '+14155550001' } });
    await beckon.events.identify(scope, { userId: 'kim', traits: { phone: KIM } });
    await beckon.settings.update(scope, 'sms', { twilio: { accountSid: `AC${'1'.repeat(32)}`, authToken: TOKEN } });
    await beckon.settings.update(scope, 'email', { callbacks: { postmark: { secret: 'postmark-secret' } } });
    // A device token is unique within its org.
    await device('ann', `fcm:${scope.projectId}`);
    await device('bob', `sandbox-dead-${scope.projectId}`);
    const sendId = await push({ userIds: ['ann'] });
    await push({ userIds: ['bob'] });
    await push({ userIds: ['nobody'] });
    await push({ userIds: ['ann'], scheduledFor: new Date(clock.now().getTime() + 3_600_000).toISOString() });
    await beckon.sends.cancel(scope, 'push', await push({ userIds: ['ann'] }));
    const geofence = { name: 'Shop', lat: 1, lng: 1, radiusMeters: 100 };
    const { id: geofenceId } = await beckon.geofences.create(scope, geofence);
    for (const transition of ['entered', 'exited', 'dwelled'] as const)
      await beckon.geofences.report(scope, { geofenceId, transition, userId: 'ann' });
    const { liveActivities } = beckon;
    const activity = { userId: 'ann', activityType: 'A', pushToken: 'ab'.repeat(32) };
    await liveActivities.registerToken(scope, { ...activity, kind: 'push_to_start' });
    await liveActivities.start(scope, {
      ...{ activityType: 'A', externalId: 'order', attributesType: 'T', attributes: {}, contentState: {} },
      ...{ alert: { title: 't', body: 'b' }, userIds: ['ann'] },
    });
    await liveActivities.registerToken(scope, { ...activity, externalId: 'order' });
    await liveActivities.registerToken(scope, { ...activity, externalId: 'lost', pushToken: 'sandbox-dead-1' });
    for (const externalId of ['order', 'lost']) await liveActivities.update(scope, externalId, { contentState: {} });
    await liveActivities.end(scope, 'order');
    const html = '<body><a href="https://shop.test/">Shop</a></body>';
    await beckon.email.send(scope, { userIds: ['ann'], subject: 's', html, tracking: { opens: true, clicks: true } });
    await beckon.email.send(scope, { userIds: ['bob'], subject: 's', text: 't' });
    await beckon.sms.send(scope, { userIds: ['eve'], body: 'b' });
    const text = await beckon.sms.send(scope, { userIds: ['kim'], body: 'b' });
    await beckon.worker.drain();
    const [sms] = (await beckon.sends.messages(scope, 'sms', 'id' in text ? text.id : '')).data;
    await texted({ MessageSid: `SM${scope.projectId}`, MessageStatus: 'delivered' }, `&m=${sms?.id}`);
    const stop = { From: KIM, To: '+15005550006', Body: 'STOP' };
    await texted({ MessageSid: `SM-in-${scope.projectId}`, SmsStatus: 'received', ...stop });
    const messageId = await only(sendId);
    await beckon.push.trackDelivered(scope, { sendId, messageId });
    await beckon.push.trackOpen(scope, { sendId, messageId, clickAction: 'buy' });
    const { data } = await beckon.outbox.list(scope, { channel: 'email' });
    const links = new Map(
      [...String(data[0]?.content && 'html' in data[0].content && data[0].content.html).matchAll(LINK)].map(
        ([, kind = '', token = '']) => [kind, token],
      ),
    );
    // An open directly after the send would count as automated.
    clock.advance(2_000);
    await beckon.email.trackOpen(links.get('o') ?? '');
    await beckon.email.trackClick(links.get('c') ?? '');
    const { data: urls } = await beckon.callbacks.urls(scope);
    const { pathname, search } = new URL(urls.find(({ provider }) => provider === 'postmark')?.url ?? '');
    const delivered = { RecordType: 'Delivery', DeliveredAt: clock.now().toISOString(), ID: 1 };
    await beckon.callbacks.receive({
      ...{ channel: 'email', provider: 'postmark', method: 'POST', path: pathname },
      query: search.slice(1),
      header: (name) => (name === 'x-webhook-secret' ? 'postmark-secret' : undefined),
      body: Buffer.from(JSON.stringify({ ...delivered, Metadata: { messageId: data[0]?.messageId } })),
    });
    const complaint = 'Content-Type: multipart/report; boundary=b; report-type=feedback-report\n\n';
    const report = '--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nUser-Agent: P/1.0\n\n--b--\n';
    const recipient = `b+${data[0]?.messageId}@bounces.test`;
    await beckon.bounces.ingest(Buffer.from(complaint + report), { recipient });
    await beckon.worker.drain();
  };
};

describe('events of the catalog', () => {
  let world: Watching;
  beforeEach(async () => {
    world = await openWatching();
  });
  afterEach(() => world.close());

  const storedIn = async (scope: Scope): Promise<string[]> => {
    const rows = await world.database.storage.db.select().from(world.database.tables.events);
    return rows.filter(({ scopeId }) => scopeId === scope.scopeId).map(({ eventType }) => eventType);
  };

  /** Webhook payloads that arrived, by event id. */
  const toldIn = async (scope: Scope): Promise<ReadonlyMap<string, string>> => {
    const rows = await world.database.storage.db.select().from(world.database.tables.webhookDeliveries);
    const told = rows.filter(({ scopeId }) => scopeId === scope.scopeId);
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(told.length);
    return new Map(told.map(({ eventId, eventType }) => [eventId, eventType]));
  };

  it('each cataloged operation starts subscribed workflows and reaches webhooks with its own event', async () => {
    const scope = await world.project(...REST.map((name) => workflowOn(name)));
    await world.beckon.webhooks.create(scope, { url: 'https://shop.test/hook', events: NAMES, isPulled: true });
    await operations(world, scope)();
    const told = await toldIn(scope);
    expect([...new Set(told.values())].toSorted()).toEqual(EMITTED.toSorted());
    const [hook] = (await world.beckon.webhooks.list(scope)).data;
    const { data: deliveries } = await world.beckon.webhooks.deliveries(scope, hook?.id ?? '', { limit: 200 });
    const { body: tested } = await world.beckon.webhooks.test(scope, hook?.id ?? '');
    const bodies = await Promise.all(deliveries.map(({ id }) => world.beckon.webhooks.delivery(scope, id)));
    // The payload matches the type that the library exports.
    const schema = webhookEventSchema();
    const events = [...bodies.map(({ body }) => body), tested].map((body) => schema.parse(JSON.parse(body)));
    expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual([...EMITTED, 'webhook.test'].toSorted());
    const runs = await world.runs(scope);
    expect([...new Set(runs.map(({ workflowName }) => workflowName))].toSorted()).toEqual(
      REST.map((name) => `On ${name}`).toSorted(),
    );
    expect(new Set(runs.map(({ triggerEventId }) => triggerEventId)).size).toBe(runs.length);
    expect(new Set(runs.map(({ status, depth }) => `${status} ${depth}`))).toEqual(new Set(['completed 0']));
    expect(await world.database.storage.db.select().from(world.database.tables.raisedEvents)).toEqual([]);
    // The trigger event of each run is the one that webhooks received.
    for (const { triggerEventId } of runs) expect(told.has(triggerEventId)).toBe(true);
  });

  it.for(OF_RUNS)('%s starts the workflows that subscribe to it', async (name) => {
    const scope = await world.project(workflowOn(name, []), { ...workflowOn('go'), name: 'First' });
    await world.beckon.events.track(scope, { module: 'm', eventType: 'go', userId: 'ann' });
    await world.beckon.worker.drain();
    expect((await world.runs(scope)).map(({ workflowName }) => workflowName)).toContain(`On ${name}`);
  });

  it('events without subscribers are event rows exactly where the catalog says so', async () => {
    const scope = await world.project();
    await operations(world, scope)();
    const kept = REST.filter((name) => CATALOG[name].kept === 'event');
    expect([...new Set(await storedIn(scope))].toSorted()).toEqual(kept.toSorted());
  });

  it("each event is in its profile's history once, with and without subscribers", async () => {
    const told = async (scope: Scope): Promise<string[]> => {
      await operations(world, scope)();
      const { data } = await world.beckon.profiles.events(scope, 'ann', { limit: 200 });
      const bob = await world.beckon.profiles.events(scope, 'bob', { limit: 200 });
      const eve = await world.beckon.profiles.events(scope, 'eve', { limit: 200 });
      const kim = await world.beckon.profiles.events(scope, 'kim', { limit: 200 });
      const ofSends = new Set(['push.send_requested', 'push.scheduled']);
      const all = [...data, ...bob.data, ...eve.data, ...kim.data];
      return all.map(({ eventType }) => eventType).filter((name) => !ofSends.has(name));
    };
    const alone = (await told(await world.project())).toSorted();
    const heard = (await told(await world.project(...REST.map((name) => workflowOn(name))))).toSorted();
    expect(heard).toEqual(alone);
    expect(alone).toEqual([
      'email.bounced',
      'email.clicked',
      'email.complained',
      'email.delivered',
      'email.opened',
      'geofence.dwelled',
      'geofence.entered',
      'geofence.exited',
      'push.cancelled',
      'push.clicked',
      'push.delivered',
      'push.failed',
      'push.live_activity_ended',
      'push.live_activity_invalidated',
      'push.live_activity_started',
      'push.live_activity_started',
      'push.live_activity_updated',
      'push.opened',
      'push.sent',
      'push.token_invalidated',
      'sms.delivered',
      'sms.failed',
      'sms.inbound',
      'sms.stop_received',
      'user.identified',
      'user.identified',
      'user.identified',
      'user.identified',
    ]);
  });

  it('an event of a message that a run sent has the depth of the run plus one', async () => {
    const steps = [{ type: 'send_push', config: { title: 'Hello' } }];
    const names = ['push.send_requested', 'push.sent', 'push.opened'];
    const scope = await world.project(
      { ...workflowOn('go', steps), name: 'First' },
      ...names.map((name) => workflowOn(name)),
    );
    const { beckon } = world;
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    await beckon.events.track(scope, { module: 'm', eventType: 'go', userId: 'ann' });
    await beckon.worker.drain();
    const [send] = (await beckon.sends.list(scope, 'push')).data;
    await beckon.push.trackOpen(scope, { sendId: send?.id ?? '' });
    await beckon.worker.drain();
    expect((await world.runs(scope)).map(({ workflowName, depth }) => [workflowName, depth])).toEqual([
      ['First', 0],
      ...names.map((name) => [`On ${name}`, 1]),
    ]);
  });

  it('a workflow that pushes for every push stops at depth 10', async () => {
    const steps = [{ type: 'send_push', config: { title: 'Again' } }];
    const scope = await world.project(workflowOn('push.sent', steps));
    await world.beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    await world.beckon.push.send(scope, { userIds: ['ann'], title: 'Hello' });
    await world.beckon.worker.drain();
    const runs = await world.runs(scope);
    expect(runs.map(({ depth }) => depth)).toEqual(Array.from({ length: 11 }, (_, depth) => depth));
    expect(runs.at(-1)).toMatchObject({ status: 'failed', error: 'depth_exceeded' });
    expect((await world.beckon.sends.list(scope, 'push')).data).toHaveLength(11);
  });
});
