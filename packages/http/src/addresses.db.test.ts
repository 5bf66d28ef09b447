import { type Beckon, createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './index.ts';

const PAD = '\u00a0\u0085 ';

describe('addresses and devices over HTTP', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
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
    const keyOf = async (kind: 'public' | 'secret') =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants: [{ orgId, projectId }] })).secret;
    [publicKey, secretKey] = await Promise.all([keyOf('public'), keyOf('secret')]);
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const call = async (method: string, path: string, body?: unknown, key = secretKey) => {
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    // Safe: the envelope of every answer.
    const json = (await answer.json()) as { data?: unknown; error?: { details?: { fieldErrors?: object } } };
    return { status: answer.status, data: json.data, fields: Object.keys(json.error?.details?.fieldErrors ?? {}) };
  };

  it('white space around an address is ignored when listing, finding and removing it', async () => {
    const address = `${PAD}ada@example.com${PAD}`;
    expect(await call('POST', '/email/suppressions', { address })).toMatchObject({ data: { added: 1 } });
    const found = await call('GET', `/email/suppressions?address=${encodeURIComponent(address)}`);
    expect(found).toMatchObject({ status: 200, data: [{ address: 'ada@example.com' }] });
    expect(await call('POST', '/email/suppressions/remove', { address })).toMatchObject({ data: { removed: 1 } });
  });

  it('a user whose address traits contain white space receives email and SMS', async () => {
    const traits = { email: `${PAD}ada@example.com`, phone: `+1 (415) 555-0123${PAD}` };
    await call('POST', '/events', { module: 'm', eventType: 'e', userId: 'ada', traits }, publicKey);
    await call('POST', '/email/send', { userIds: ['ada'], subject: 's', text: 't' });
    await call('POST', '/sms/send', { userIds: ['ada'], body: 'Hi' });
    await beckon.worker.drain();
    for (const [channel, address] of [
      ['email', 'ada@example.com'],
      ['sms', '+14155550123'],
    ] as const)
      expect(await call('GET', `/sandbox/messages?channel=${channel}`)).toMatchObject({ data: [{ address }] });
  });

  it('a device token accepts any time zone; an offset is stored as an offset', async () => {
    const token = (timezone: unknown) =>
      call('POST', '/push/tokens', { token: `fcm:${timezone}`, platform: 'android', timezone }, publicKey);
    expect(await token('GMT+05:30')).toMatchObject({ status: 201, data: { timezone: '+05:30' } });
    expect(await token('Europe/Paris')).toMatchObject({ status: 201, data: { timezone: 'Europe/Paris' } });
    for (const timezone of ['Etc/Unknown', '', 'x'.repeat(500), 330, null])
      expect(await token(timezone)).toMatchObject({ status: 201, data: { timezone: null } });
  });

  it('a send, a template and a workflow reject data keys that FCM reserves', async () => {
    const data = { from: 'us', 'google.sent': 1 };
    const fields = ['data.from', 'data.google.sent'];
    const push = { title: 'Hi', data };
    expect(await call('POST', '/push/send', { ...push, userIds: ['ada'] })).toMatchObject({ status: 400, fields });
    expect(await call('POST', '/push/send', { ...push, userIds: ['ada'], dryRun: true })).toMatchObject({ fields });
    expect(await call('POST', '/push/templates', { ...push, name: 'T' })).toMatchObject({ status: 400, fields });
    const steps = [{ type: 'send_push', config: push }];
    const workflow = { name: 'W', trigger: { eventType: 'e' }, steps };
    expect(await call('POST', '/automation/workflows', workflow)).toMatchObject({
      status: 400,
      fields: fields.map((field) => `steps.0.config.${field}`),
    });
    const ios = { ...push, userIds: ['ada'], platforms: ['ios'] };
    expect(await call('POST', '/push/send', ios)).toMatchObject({ status: 201 });
  });

  it('with reactivateOnRegister, registering an inactive device again activates it', async () => {
    const register = () => call('POST', '/push/tokens', { token: 'fcm:1', platform: 'android' }, publicKey);
    const { data } = await register();
    // Safe: a registered device has an id.
    const { id } = data as { id: string };
    await call('DELETE', `/push/tokens/${id}`, undefined, publicKey);
    expect(await call('GET', '/push/settings')).toMatchObject({ data: { reactivateOnRegister: false } });
    expect(await register()).toMatchObject({ status: 200, data: { id, isActive: false } });
    expect(await call('PUT', '/push/settings', { reactivateOnRegister: 1 })).toMatchObject({
      status: 400,
      fields: ['reactivateOnRegister'],
    });
    expect(await call('PUT', '/push/settings', { reactivateOnRegister: true })).toMatchObject({
      data: { reactivateOnRegister: true },
    });
    expect(await register()).toMatchObject({ status: 200, data: { id, isActive: true } });
  });
});
