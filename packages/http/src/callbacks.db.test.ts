import { type Beckon, createBeckon, newMasterKey, type Scope, StorageError, virtualClock } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import {
  MAILGUN_KEY,
  OTHER_SENDGRID_KEY,
  SENDGRID_KEY,
  signMailgun,
  signSendgrid,
} from '../../core/test/support/email/callbacks/signers.ts';
import { fakeBeckon } from '../test/support/fake-beckon.ts';
import { createHandler } from './index.ts';

const MAIL = { to: 'ann@example.com', subject: 'Hello', text: 'There' } as const;
const HOUR_MS = 3_600_000;

type Posted = { readonly headers: Headers; readonly rawBody: Uint8Array };

describe('email callbacks over HTTP', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let prod: Scope;
  let other: Scope;
  let sent = 0;

  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      publicUrl: 'https://push.example',
      transports: {
        email: {
          name: 'courier',
          from: { email: 'shop@example.com', name: null },
          make: () => ({
            name: 'courier',
            maxInFlight: 5,
            // SendGrid's own format: events append more to the id after a dot.
            send: async () => ({ result: 'accepted', providerId: `g${++sent}` }),
            close: async () => undefined,
          }),
        },
      },
    });
    const scopeIn = async (name: string) => {
      const { id: orgId } = await beckon.tenancy.createOrg({ name });
      const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
      return beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    };
    prod = await scopeIn('Acme');
    other = await scopeIn('Other');
    await beckon.settings.update(prod, 'email', { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } });
    await beckon.settings.update(other, 'email', { callbacks: { sendgrid: { publicKey: OTHER_SENDGRID_KEY } } });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** A message that was handed over, with SendGrid's id. */
  const mailed = async (scope = prod) => {
    const send = await beckon.email.send(scope, MAIL);
    await beckon.worker.drain();
    return { sendId: 'id' in send ? send.id : '', providerId: `g${sent}` };
  };
  const eventOf = (providerId: string, event: string, more: object = {}) => ({
    event,
    timestamp: Math.floor(clock.now().getTime() / 1_000),
    sg_event_id: `${event}-${providerId}`,
    sg_message_id: `${providerId}.filter0001.1-0`,
    ...more,
  });
  const signed = (...events: readonly object[]) => signSendgrid(`${JSON.stringify(events)}\r\n`, clock.now());
  const post = async ({ headers, rawBody }: Posted, path = '/email/webhooks/sendgrid', by = beckon) => {
    const body = Buffer.from(rawBody);
    const response = await createHandler(by, { clock }).fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, { method: 'POST', headers, body }),
    );
    const json: { data?: object; error?: object } = JSON.parse(await response.text());
    return { status: response.status, after: response.headers.get('retry-after'), ...json };
  };
  const statusOf = async (sendId: string, scope = prod) => {
    const [message] = (await beckon.sends.messages(scope, 'email', sendId)).data;
    const { counts } = await beckon.sends.get(scope, 'email', sendId);
    const { delivered, bounced, opened, clicked } = counts;
    return { status: message?.status, counts: [delivered, bounced, opened, clicked] };
  };

  it('a callback configuration shows its URL and never its secret', async () => {
    const settings = await beckon.settings.get(prod, 'email');
    expect(settings.callbacks).toMatchObject({ sendgrid: { configured: true }, ses: { configured: false } });
    expect(JSON.stringify(settings)).not.toContain(SENDGRID_KEY);
    const url = new URL(settings.callbacks.sendgrid.url ?? '');
    expect(url.origin + url.pathname).toBe('https://push.example/api/v1/email/webhooks/sendgrid');
    // The test button of a provider posts an event without a message.
    const probe = signed(eventOf('nothing', 'delivered'));
    expect(await post(probe, `/email/webhooks/sendgrid${url.search}`)).toMatchObject({
      status: 200,
      data: { events: 1, applied: 0, unknown: 1 },
    });
    expect(await post({ ...probe, headers: new Headers() }, `/email/webhooks/sendgrid${url.search}`)).toMatchObject({
      status: 401,
    });
    await beckon.settings.update(prod, 'email', { callbacks: { sendgrid: null } });
    expect((await beckon.settings.get(prod, 'email')).callbacks.sendgrid.configured).toBe(false);
    expect(await post(signed(eventOf((await mailed()).providerId, 'delivered')))).toMatchObject({
      status: 401,
      error: { details: { reason: 'no_secret' } },
    });
  });

  it('callbacks report each result of a message once, in any order', async () => {
    const { sendId, providerId } = await mailed();
    clock.advance(HOUR_MS);
    const [bounce, delivery] = [
      eventOf(providerId, 'bounce', { type: 'bounce', status: '5.1.1' }),
      eventOf(providerId, 'delivered'),
    ];
    expect(await post(signed(eventOf(providerId, 'click', { url: 'https://x.test/' })))).toMatchObject({
      status: 200,
      data: { events: 1, applied: 1, duplicates: 0, unknown: 0 },
    });
    expect(await statusOf(sendId)).toEqual({ status: 'sent', counts: [0, 0, 1, 1] });
    expect(await post(signed(bounce))).toMatchObject({ status: 200, data: { applied: 1 } });
    // Each event again, and the delivery that came before the bounce.
    expect(await post(signed(bounce, delivery))).toMatchObject({ status: 200, data: { applied: 1, duplicates: 1 } });
    expect(await post(signed(bounce, delivery))).toMatchObject({ status: 200, data: { applied: 0, duplicates: 2 } });
    expect(await statusOf(sendId)).toEqual({ status: 'bounced', counts: [0, 1, 1, 1] });
    const again = await mailed();
    expect(await statusOf(again.sendId)).toMatchObject({ status: 'suppressed' });
    expect(sent).toBeGreaterThan(0);
  });

  it('a bounce that does not concern the address leaves the address usable', async () => {
    const soft = [
      ['bounce', { type: 'bounce', status: '5.0.0', reason: '550 5.7.1 rejected by policy' }, '5.7.1'],
      ['bounce', { type: 'bounce', status: '5.2.2', reason: '552 5.2.2 mailbox full' }, '5.2.2'],
      ['bounce', { type: 'blocked', status: '5.1.1\0' }, '5.1.1\ufffd'],
      ['dropped', { reason: 'Bounced Address' }, 'Bounced Address'],
    ] as const;
    for (const [event, more, code] of soft) {
      const { sendId, providerId } = await mailed();
      expect(await post(signed(eventOf(providerId, event, more)))).toMatchObject({ status: 200, data: { applied: 1 } });
      expect(await statusOf(sendId)).toEqual({ status: 'failed', counts: [0, 0, 0, 0] });
      expect((await beckon.sends.messages(prod, 'email', sendId)).data).toMatchObject([
        { errorCode: code, reason: null, error: 'The mail was not delivered. The address was kept.' },
      ]);
    }
    expect((await beckon.suppressions.list(prod, 'email')).data).toEqual([]);
    expect(await statusOf((await mailed()).sendId)).toMatchObject({ status: 'sent' });
  });

  it('a click callback stores as much of the link as both databases can hold', async () => {
    const { sendId, providerId } = await mailed();
    clock.advance(10_000);
    const url = `https://shop.example/\0/\ud83d/${'x'.repeat(10_000)}`;
    expect(await post(signed(eventOf(providerId, 'click', { url })))).toMatchObject({
      status: 200,
      data: { applied: 1 },
    });
    const [message] = (await beckon.sends.messages(prod, 'email', sendId)).data;
    expect(message?.clickAction).toBe(`https://shop.example/\ufffd/\ufffd/${'x'.repeat(2_023)}`);
  });

  it('a callback that is changed, signed again, too old or unsigned is rejected', async () => {
    const { sendId, providerId } = await mailed();
    const good = signed(eventOf(providerId, 'delivered'));
    const parsed = JSON.stringify(JSON.parse(Buffer.from(good.rawBody).toString()));
    const swapped = Buffer.from(good.rawBody.toString().replace('delivered', 'spamreport'));
    for (const bad of [
      { ...good, rawBody: Buffer.from(parsed) },
      { ...good, rawBody: swapped },
      { ...good, headers: new Headers() },
      { ...good, headers: signed(eventOf(providerId, 'open')).headers },
    ])
      expect(await post(bad)).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
    clock.advance(26 * HOUR_MS);
    expect(await post(good)).toMatchObject({ status: 401, error: { details: { reason: 'stale' } } });
    expect(await statusOf(sendId)).toMatchObject({ status: 'sent' });
  });

  it("a callback about an unknown message is accepted, and one about another organization's message changes nothing", async () => {
    expect(await post(signed(eventOf('nobody', 'delivered')))).toMatchObject({ status: 200, data: { events: 0 } });
    const theirs = await mailed(other);
    expect(await post(signed(eventOf(theirs.providerId, 'delivered')))).toMatchObject({ status: 401 });
    const mine = await mailed();
    const both = signed(eventOf(theirs.providerId, 'delivered'), eventOf(mine.providerId, 'delivered'));
    expect(await post(both)).toMatchObject({ status: 200, data: { events: 2, applied: 1, unknown: 1 } });
    expect(await statusOf(theirs.sendId, other)).toMatchObject({ status: 'sent' });
    expect(await statusOf(mine.sendId)).toMatchObject({ status: 'delivered' });
    expect((await beckon.callbacks.list(other)).data).toEqual([]);
  });

  it('a Mailgun token that was used before has no effect with another body', async () => {
    await beckon.settings.update(prod, 'email', { callbacks: { mailgun: { signingKey: MAILGUN_KEY } } });
    const [first, second] = [await mailed(), await mailed()];
    const about = (providerId: string, event: string, id: string) =>
      signMailgun(
        {
          id,
          event,
          timestamp: clock.now().getTime() / 1_000,
          message: { headers: { 'message-id': providerId } },
        },
        clock.now(),
      );
    const path = '/email/webhooks/mailgun';
    expect(await post(about(first.providerId, 'delivered', 'a'), path)).toMatchObject({ data: { applied: 1 } });
    expect(await post(about(second.providerId, 'complained', 'b'), path)).toMatchObject({
      status: 200,
      data: { applied: 0, duplicates: 1 },
    });
    const { data } = await beckon.sends.messages(prod, 'email', second.sendId);
    expect(data[0]?.complainedAt).toBe(null);
  });

  it('callbacks are limited to 1 MB and known providers, and get 503 while the database is unavailable', async () => {
    const { callbacks } = await beckon.settings.get(prod, 'email');
    const named = `/email/webhooks/sendgrid${new URL(callbacks.sendgrid.url ?? '').search}`;
    const large = { ...signed(), rawBody: Buffer.alloc(1_048_577, ' ') };
    expect(await post(large, named)).toMatchObject({ status: 413, error: { code: 'PAYLOAD_TOO_LARGE' } });
    const stated = new Headers({ 'content-length': '1048577' });
    expect(await post({ ...signed(), headers: stated })).toMatchObject({ status: 413 });
    const batch = Array.from({ length: 2_000 }, (_, at) =>
      eventOf(`other${at}`, 'open', { useragent: 'x'.repeat(300) }),
    );
    const whole = signed(...batch);
    expect(whole.rawBody.byteLength).toBeGreaterThan(800_000);
    expect(await post(whole, named)).toMatchObject({ status: 200, data: { events: 2_000, unknown: 2_000 } });
    expect(await post(whole)).toMatchObject({ status: 200, data: { events: 0 } });
    for (const path of ['/email/webhooks/nobody', '/sms/webhooks/sendgrid', '/email/webhooks'])
      expect(await post(signed(), path)).toMatchObject({ status: 404 });
    const away = fakeBeckon().beckon;
    const receive = () => Promise.reject(new StorageError('08006'));
    const answer = await post(signed(), undefined, { ...away, callbacks: { ...beckon.callbacks, receive } });
    expect(answer).toMatchObject({ status: 503, after: '1' });
  });
});
