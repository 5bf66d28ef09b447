import { type Beckon, CATALOG, createBeckon, newMasterKey, RAISED_NAMES, type Scope } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './index.ts';

const NAMES = Object.keys(RAISED_NAMES);
const event = (eventType: string, userId = 'ann') => ({ module: 'app', eventType, userId });
const workflow = (name: string, eventType: string) => ({
  ...{ name, isActive: true, trigger: { eventType } },
  steps: [{ type: 'update_profile' as const, config: { set: { started: name } } }],
});

describe('reserved event names', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let publicKey: string;
  let secretKey: string;
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey() });
    handler = createHandler(beckon);
  });
  beforeEach(async () => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const keyOf = async (kind: 'public' | 'secret') =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants: [{ orgId, projectId }] })).secret;
    [publicKey, secretKey] = await Promise.all([keyOf('public'), keyOf('secret')]);
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const post = async (path: string, key: string, body: unknown, isBeacon = false) => {
    const url = `http://127.0.0.1/api/v1${path}${isBeacon ? `?key=${key}` : ''}`;
    const headers: Record<string, string> = isBeacon
      ? { 'content-type': 'text/plain' }
      : { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await handler.fetch(
      new Request(url, { method: 'POST', headers: { ...headers }, body: JSON.stringify(body) }),
    );
    // Safe: the envelope of every answer.
    const json = (await answer.json()) as {
      data?: unknown;
      error?: { code: string; details?: Record<string, unknown> };
    };
    return { status: answer.status, ...json };
  };
  const stored = async () =>
    (await beckon.events.list(scope, { limit: 200 })).data.map(({ eventType, source }) => `${eventType} ${source}`);
  const runs = async () => {
    await beckon.worker.drain();
    return (await beckon.runs.list(scope)).data.map(({ workflowName }) => workflowName);
  };

  it('the 34 names of the catalog and the two of segments are reserved', () => {
    expect(Object.keys(CATALOG)).toHaveLength(34);
    expect(NAMES.filter((name) => !Object.hasOwn(CATALOG, name))).toEqual(['audience.entered', 'audience.left']);
  });

  it('a reserved name with a public key is rejected and starts no workflow', async () => {
    await beckon.workflows.create(scope, workflow('Welcome', 'user.signed_up'));
    for (const eventType of NAMES) {
      const { status, error } = await post('/events', publicKey, event(eventType));
      expect([eventType, status, error?.code]).toEqual([eventType, 400, 'VALIDATION_ERROR']);
      expect(Object.keys(error?.details?.['fieldErrors'] ?? {})).toEqual(['eventType']);
    }
    expect(await stored()).toEqual([]);
    expect(await runs()).toEqual([]);
  });

  it.each([
    ['as { batch }', false, true],
    ['as a bare array', false, false],
    ['as { batch } of a beacon', true, true],
    ['as a bare array of a beacon', true, false],
  ])('reserved names in a batch with a public key are rejected item by item: %s', async (_, isBeacon, isWrapped) => {
    const bodyOf = (names: readonly string[]) => {
      const batch = names.map((name) => event(name));
      return isWrapped ? { batch } : batch;
    };
    const mixed = await post('/events/batch', publicKey, bodyOf(['ordered', 'push.opened', 'seen']), isBeacon);
    expect(mixed).toMatchObject({
      status: 200,
      data: {
        accepted: 2,
        rejected: [
          { index: 1, code: 'VALIDATION_ERROR', fieldErrors: { eventType: [expect.stringContaining('secret key')] } },
        ],
      },
    });
    const none = await post('/events/batch', publicKey, bodyOf(NAMES), isBeacon);
    expect(none).toMatchObject({
      status: 400,
      error: { details: { fieldErrors: { eventType: [expect.any(String)] } } },
    });
    expect((await stored()).sort()).toEqual(['ordered customer', 'seen customer']);
  });

  it('reserved names with a secret key are customer events: stored and counted by workflows, not delivered to webhooks', async () => {
    const hook = await beckon.webhooks.create(scope, {
      ...{ url: 'https://hook.example/', isPulled: true, events: ['user.signed_up', 'push.opened', 'user.identified'] },
    });
    await beckon.workflows.create(scope, workflow('Welcome', 'user.signed_up'));
    await beckon.workflows.create(scope, workflow('Inside', 'audience.entered'));
    await beckon.workflows.create(scope, {
      ...{ name: 'Waits', isActive: true, trigger: { eventType: 'ordered' } },
      steps: [
        {
          type: 'wait',
          config: { event: { eventType: 'push.opened', timeoutMinutes: 60, onTimeout: 'exit' } },
        },
      ],
    });
    expect((await post('/events', secretKey, event('ordered'))).status).toBe(200);
    await beckon.worker.drain();
    expect((await post('/events', secretKey, event('user.signed_up'))).status).toBe(200);
    const rest = NAMES.filter((name) => name !== 'user.signed_up').map((name) => event(name));
    expect(await post('/events/batch', secretKey, rest)).toMatchObject({ status: 200, data: { rejected: [] } });
    expect((await stored()).sort()).toEqual([...NAMES, 'ordered'].map((name) => `${name} customer`).sort());
    expect((await runs()).sort()).toEqual(['Inside', 'Waits', 'Welcome']);
    const [waited] = (await beckon.runs.list(scope, {})).data.filter(({ workflowName }) => workflowName === 'Waits');
    expect(waited).toMatchObject({ status: 'completed', exitReason: null });
    expect((await beckon.webhooks.deliveries(scope, hook.id)).data).toEqual([]);
  });

  it('a customer event with a reserved name does not change figures of a send or an A/B test', async () => {
    await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'ann' });
    const test = await beckon.abTests.create(scope, 'push', {
      name: 'Titles',
      variants: [{ key: 'a', weight: 100, title: 'A' }],
      metric: { type: 'open' },
    });
    const send = await beckon.push.send(scope, { title: 't', userIds: ['ann'], abTestId: test.id });
    if (!('id' in send)) throw new Error('a dry run');
    await beckon.worker.drain();
    for (const name of ['push.opened', 'push.clicked', 'push.delivered', 'push.failed'])
      expect(await post('/events', secretKey, { ...event(name), properties: { sendId: send.id } })).toMatchObject({
        status: 200,
      });
    await beckon.worker.drain();
    expect((await beckon.sends.get(scope, 'push', send.id)).counts).toMatchObject({
      ...{ sent: 1, delivered: 0, failed: 0, opened: 0, clicked: 0 },
    });
    expect((await beckon.abTests.stats(scope, 'push', test.id)).variants).toMatchObject([
      { sent: 1, delivered: 0, opened: 0, clicked: 0, converted: 0 },
    ]);
    await beckon.push.trackOpen(scope, { sendId: send.id });
    expect((await beckon.sends.get(scope, 'push', send.id)).counts).toMatchObject({ opened: 1 });
  });

  it('a name that only contains a reserved one, or differs in case, is accepted with a public key', async () => {
    for (const eventType of ['push.opened2', 'my.push.opened', 'Push.Opened', 'push', 'constructor'])
      expect([eventType, (await post('/events', publicKey, event(eventType))).status]).toEqual([eventType, 200]);
  });

  it('calls of devices with a public key raise reserved events', async () => {
    expect((await post('/identify', publicKey, { userId: 'ann', traits: { plan: 'pro' } })).status).toBe(200);
    const fence = await beckon.geofences.create(scope, { name: 'Shop', lat: 51, lng: 3, radiusMeters: 200 });
    const report = { geofenceId: fence.id, transition: 'enter', userId: 'ann' };
    expect((await post('/push/geofences/event', publicKey, report)).status).toBe(200);
    expect((await stored()).sort()).toEqual(['geofence.entered system', 'user.identified customer']);
  });
});
