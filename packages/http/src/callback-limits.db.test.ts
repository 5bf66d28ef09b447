import { createHmac } from 'node:crypto';
import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { OTHER_SENDGRID_KEY, SENDGRID_KEY, signSendgrid } from '../../core/test/support/email/callbacks/signers.ts';
import { createHandler, type Handler } from './index.ts';

const PUBLIC = 'https://beckon.shop.test';
const [OFFICE, ELSEWHERE] = ['203.0.113.7', '198.51.100.4'];
/** Rejected callbacks that one network may post per minute. */
const BURST = 200;
const PATHS = ['ses', 'sendgrid', 'postmark', 'mailgun', 'resend'].map((name) => `/email/webhooks/${name}`);

type Posted = { readonly body: string | Uint8Array<ArrayBuffer>; readonly headers?: Headers | Record<string, string> };

/** Counts the values of parsed JSON without recursion, because some of it is deeply nested. */
const valuesOf = (value: unknown): number => {
  let count = 0;
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    count += 1;
    if (typeof one === 'object' && one !== null) open.push(...Object.values(one));
  }
  return count;
};

describe('rate limit of rejected callbacks', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let url: URL;

  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, publicUrl: PUBLIC });
    handler = createHandler(beckon, { clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.settings.update(scope, 'email', { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } });
    await beckon.settings.update(scope, 'sms', {
      twilio: { accountSid: `AC${'1'.repeat(32)}`, authToken: 'a'.repeat(32) },
    });
    const { callbacks } = await beckon.settings.get(scope, 'email');
    url = new URL(callbacks.sendgrid.url ?? '');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await beckon.close();
    await database.close();
  });

  const post = async (path: string, { body, headers }: Posted, address = OFFICE) => {
    const request = new Request(`http://127.0.0.1/api/v1${path}`, {
      method: 'POST',
      body,
      ...(headers === undefined ? {} : { headers }),
    });
    const response = await handler.fetch(request, { address });
    const json: { data?: object; error?: { code: string } } = JSON.parse(await response.text());
    return { status: response.status, after: response.headers.get('retry-after'), ...json };
  };
  const own = () => `/email/webhooks/sendgrid${url.search}`;
  const signed = (...events: readonly object[]): Posted => {
    const { headers, rawBody } = signSendgrid(JSON.stringify(events), clock.now());
    return { headers, body: Buffer.from(rawBody) };
  };
  const nobody = { body: '[{"sg_message_id":"nobody"}]' };
  const exhaust = async (path = '/email/webhooks/sendgrid', posted: Posted = nobody) => {
    const answers = await Promise.all(Array.from({ length: BURST }, () => post(path, posted)));
    return new Set(answers.map(({ status }) => status));
  };

  it('a network gets 429 with Retry-After once 200 of its callbacks in a minute were rejected', async () => {
    expect(await exhaust()).toEqual(new Set([200]));
    expect(await post('/email/webhooks/sendgrid', nobody)).toMatchObject({
      ...{ status: 429, after: '1', error: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } } },
    });
    clock.advance(300);
    expect(await post('/email/webhooks/sendgrid', nobody)).toMatchObject({ status: 200, data: { events: 0 } });
    expect(await post('/email/webhooks/sendgrid', nobody)).toMatchObject({ status: 429 });
  });

  it('every kind of rejection counts, on the route of every provider', async () => {
    const wrong = { ...signed({}), body: '[{} ]' };
    expect(await exhaust(own(), wrong)).toEqual(new Set([401]));
    expect(await post(own(), wrong)).toMatchObject({ status: 429 });
    expect(await post(own(), { body: '[]' })).toMatchObject({ status: 429 });
    for (const path of [...PATHS, `/sms/webhooks/twilio/${scope.orgId}`, `/sms/webhooks/telnyx/${scope.orgId}`])
      expect(await post(path, { body: 'MessageSid=SM1' }), path).toMatchObject({ status: 429 });
    expect(await post('/email/webhooks/nobody', { body: '' })).toMatchObject({ status: 429 });
    expect(
      await post(own(), { body: Buffer.alloc(1_048_577, ' '), headers: { 'content-length': '1048577' } }),
    ).toMatchObject({
      status: 429,
    });
  });

  it('rejected callbacks of a network limit neither other networks nor its accepted callbacks', async () => {
    await exhaust();
    expect(await post('/email/webhooks/sendgrid', nobody, ELSEWHERE)).toMatchObject({ status: 200 });
    for (let at = 0; at < 3; at += 1)
      expect(
        await post(own(), signed({ event: 'open', timestamp: 1_767_225_600, sg_event_id: `e${at}` })),
      ).toMatchObject({
        status: 200,
        data: { events: 1 },
      });
    const fields = { Body: 'hello', From: '+14155550123', MessageSid: `SM${'2'.repeat(32)}`, SmsStatus: 'received' };
    const path = `/sms/webhooks/twilio/${scope.orgId}`;
    const text = Object.entries(fields).reduce((all, [name, value]) => all + name + value, `${PUBLIC}/api/v1${path}`);
    const response = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          'X-Twilio-Signature': createHmac('sha1', 'a'.repeat(32)).update(text).digest('base64'),
        },
        body: new URLSearchParams(fields).toString(),
      }),
      { address: OFFICE },
    );
    expect([response.status, await response.text()]).toEqual([200, '<Response/>']);
  });

  it('accepted callbacks cost nothing of the limit, however many there are', async () => {
    for (let at = 0; at < BURST + 20; at += 1)
      expect(
        await post(own(), signed({ event: 'open', timestamp: 1_767_225_600, sg_event_id: `e${at}` })),
      ).toMatchObject({
        status: 200,
      });
    expect(await post('/email/webhooks/sendgrid', nobody)).toMatchObject({ status: 200, data: { events: 0 } });
  });

  it('a callback with more than 10,000 JSON values is not parsed, whatever its megabyte holds', async () => {
    await beckon.settings.update(scope, 'email', {
      callbacks: {
        sendgrid: { publicKey: OTHER_SENDGRID_KEY },
        mailgun: { signingKey: 'key' },
        postmark: { secret: 'secret' },
        resend: { secret: `whsec_${Buffer.alloc(24).toString('base64')}` },
        ses: { topicArn: 'arn:aws:sns:eu-west-1:123456789012:mail' },
      },
    });
    const filled = (piece: string) => `[${piece.repeat(Math.floor(1_048_000 / piece.length))}0]`;
    const bodies = [
      filled('0,'),
      filled('{},'),
      filled('{"id":1},'),
      filled('{"sg_message_id":"a"},').replace('0]', '{}]'),
      filled('[],'),
      `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
      `{"signature":{"timestamp":"1","token":"t","signature":"${'0'.repeat(64)}"},"event-data":${filled('{"a":0},')}}`,
      `{"Type":"Notification","TopicArn":"arn:aws:sns:eu-west-1:123456789012:mail","Message":"${'[0,'.repeat(300_000)}"}`,
      'a=b&'.repeat(262_000),
    ];
    const headers = {
      ...Object.fromEntries(signed({}).headers as Headers),
      ...{ 'svix-id': 'm', 'svix-timestamp': '1', 'svix-signature': 'v1,AAAA', 'x-webhook-secret': 'other' },
      ...{ 'x-twilio-signature': 'AAAA', 'telnyx-timestamp': '1', 'telnyx-signature-ed25519': 'AAAA' },
    };
    let parsed = 0;
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const value: unknown = parse(text, reviver);
      parsed += valuesOf(value);
      return value;
    });
    const sms = ['twilio', 'telnyx'].map((name) => `/sms/webhooks/${name}/${scope.orgId}`);
    for (const path of [...PATHS, ...sms].flatMap((one) => [one, `${one}${url.search}`]))
      for (const body of bodies) {
        const response = await handler.fetch(
          new Request(`http://127.0.0.1/api/v1${path}`, { method: 'POST', headers, body }),
          { address: OFFICE },
        );
        expect([200, 401, 429], path).toContain(response.status);
        expect(parsed, `${path} ${body.slice(0, 40)}`).toBeLessThanOrEqual(10_000);
        parsed = 0;
      }
  });
});
