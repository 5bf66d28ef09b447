import { createHmac } from 'node:crypto';
import { createBeckon, newMasterKey, virtualClock } from '@beckon/core';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../core/test/support/database.ts';
import { createHandler } from './index.ts';

const TOKEN = 'a'.repeat(32);
const PUBLIC = 'https://beckon.shop.test';

it('Twilio gets an empty document, and unsigned requests get a refusal only', async () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const database = await openTestDatabase();
  const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, publicUrl: PUBLIC });
  onTestFinished(async () => {
    await beckon.close();
    await database.close();
  });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
  const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
  await beckon.settings.update(scope, 'sms', { twilio: { accountSid: `AC${'1'.repeat(32)}`, authToken: TOKEN } });
  const fields = {
    Body: 'STOP & “go” 😀\u0000',
    From: '+14155550123',
    MessageSid: `SM${'1'.repeat(32)}`,
    SmsStatus: 'received',
    To: '+15005550006',
  };
  const post = async (token: string, path = `/api/v1/sms/webhooks/twilio/${orgId}`) => {
    const signed = Object.entries(fields).reduce((text, [name, value]) => text + name + value, PUBLIC + path);
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': createHmac('sha1', token).update(signed).digest('base64'),
    };
    // Behind a proxy the host of the request differs from the signed one.
    const body = new URLSearchParams(fields).toString();
    const response = await createHandler(beckon, { clock }).fetch(
      new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body }),
    );
    return [response.status, response.headers.get('content-type'), await response.text()] as const;
  };
  expect(await post(TOKEN)).toEqual([200, 'text/xml; charset=utf-8', '<Response/>']);
  expect(await post(TOKEN)).toEqual([200, 'text/xml; charset=utf-8', '<Response/>']);
  expect((await post('b'.repeat(32)))[0]).toBe(401);
  expect((await post(TOKEN, `/api/v1/sms/webhooks/nobody/${orgId}`))[0]).toBe(404);
  expect((await post(TOKEN, '/api/v1/sms/webhooks/twilio/another'))[0]).toBe(200);
  const { data } = await beckon.events.list(scope);
  expect(data.map(({ eventType }) => eventType)).toEqual(['sms.inbound']);
  expect(data[0]?.properties['body']).toBe('STOP & “go” 😀\ufffd');
});
