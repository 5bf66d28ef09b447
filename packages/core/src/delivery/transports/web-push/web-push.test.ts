import { describe, expect, it, onTestFinished } from 'vitest';
import webpush from 'web-push';
import { TEST_CA } from '../../../../test/support/transports/tls/fixtures.ts';
import { startWebPushService, type WebPushService } from '../../../../test/support/transports/web-push-service.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import type { PushMessage } from '../port.ts';
import { transportContract } from '../testing/contract.ts';
import { turnsUntil } from '../testing/turns.ts';
import { generateVapidKeys, type WebPushSettings } from './settings.ts';
import { type WebPushOptions, webPushTransport } from './web-push.ts';

const settingsOf = async (subject = 'mailto:ops@shop.test'): Promise<WebPushSettings> => ({
  ...(await generateVapidKeys()),
  subject,
});
const FIRST = await settingsOf();
const SECOND = await settingsOf();
const CREDENTIALS = { first: FIRST, second: SECOND, wrong: await settingsOf() };
const clock = virtualClock('2026-03-01T12:00:00Z');
const OPTIONS: WebPushOptions = { clock, ca: TEST_CA, allowCidrs: ['127.0.0.0/8'] };

transportContract<PushMessage, WebPushSettings>('web push', {
  settings: FIRST,
  broken: [
    { settings: { ...FIRST, publicKey: SECOND.privateKey }, field: 'publicKey' },
    { settings: { ...FIRST, privateKey: SECOND.privateKey }, field: 'privateKey' },
    { settings: { ...FIRST, subject: 'https://localhost/' }, field: 'subject' },
  ],
  without: {
    hangingBody: 'the status decides, and the body is not waited for',
    restart: 'HTTP/1.1 does not say whether a request on a connection that ends was taken',
    wrongCredential: 'one push service may be hostile: its refusal is not taken for the key pair',
  },
  start: async () => {
    const service = await startWebPushService([FIRST.publicKey, SECOND.publicKey], () => clock.now());
    return { ...service, secrets: [...service.secrets, FIRST.privateKey, FIRST.publicKey] };
  },
  make: (_, changes) =>
    webPushTransport(CREDENTIALS[changes?.credential ?? 'first'], { ...OPTIONS, limitMs: changes?.limitMs }),
});

describe('webPushTransport', () => {
  const service = async (knows?: readonly string[]): Promise<WebPushService> => {
    const started = await startWebPushService(knows, () => clock.now());
    onTestFinished(() => started.stop());
    return started;
  };
  const make = (options: Partial<WebPushOptions> = {}, settings = FIRST) => {
    const transport = webPushTransport(settings, { ...OPTIONS, ...options });
    onTestFinished(() => transport.close());
    return (message: PushMessage) => transport.send(message, { signal: new AbortController().signal, attempt: 1 });
  };

  it("Web Push delivers title, body, image, tag, actions and data, and the service keys override the caller's", async () => {
    const push = await service();
    const outcome = await make()(
      push.push({
        title: 'Grüße',
        body: '日本語',
        imageUrl: 'https://cdn.test/a.png',
        collapseKey: 'cart',
        actions: [{ id: 'open', title: 'Open', icon: 'https://cdn.test/i.png' }],
        data: { url: 'https://shop.test/', serviceSendId: 'forged', deep: { a: [1] } },
      }),
    );
    expect(outcome).toEqual({ result: 'accepted', providerId: `${push.origin}/message/1` });
    expect(JSON.parse(push.received[0]?.plain ?? '')).toEqual({
      title: 'Grüße',
      body: '日本語',
      image: 'https://cdn.test/a.png',
      tag: 'cart',
      actions: [{ id: 'open', title: 'Open', icon: 'https://cdn.test/i.png' }],
      data: { url: 'https://shop.test/', deep: { a: [1] }, serviceSendId: 's-1', serviceMessageId: 'm-1' },
    });
  });

  it('a push without title and body gives the service worker only data', async () => {
    const push = await service();
    const asked = { title: null, body: null, imageUrl: 'https://cdn.test/a.png', collapseKey: 'cart' };
    await make()(push.push({ ...asked, data: { sync: true } }));
    expect(JSON.parse(push.received[0]?.plain ?? '')).toEqual({
      data: { sync: true, serviceSendId: 's-1', serviceMessageId: 'm-1' },
    });
  });

  it('a Web Push request has the time to live, urgency and topic of its message', async () => {
    const push = await service();
    const send = make();
    await send(push.push({ ttlSeconds: 0 }));
    await send(
      push.push({ ttlSeconds: 90_000_000, priority: 'high', collapseKey: 'a_topic-of-32-characters-ABCDEFG' }),
    );
    await send(push.push({ criticalAlert: { soundName: 's', volumeRatio: 1 }, collapseKey: 'Überraschung' }));
    await send(push.push({ collapseKey: 'a_topic-of-33-characters-ABCDEFGH' }));
    const asked = push.received.map(({ headers }) => [headers['ttl'], headers['urgency'], headers['topic']]);
    expect(asked).toEqual([
      ['0', 'normal', 'm-1'.replaceAll('-', '')],
      ['2419200', 'high', 'a_topic-of-32-characters-ABCDEFG'],
      ['60', 'high', expect.stringMatching(/^[\w-]{32}$/)],
      ['60', 'normal', expect.stringMatching(/^[\w-]{32}$/)],
    ]);
    expect(new Set(asked.map(([, , topic]) => topic)).size).toBe(4);
  });

  it('100 messages to one origin share one VAPID signature with audience, expiry and subject', async () => {
    const push = await service();
    const send = make();
    await Promise.all(Array.from({ length: 100 }, (_, at) => send(push.push({ messageId: `m-${at}` }))));
    expect(push.received).toHaveLength(100);
    expect(new Set(push.received.map(({ jwt }) => jwt)).size).toBe(1);
    expect(push.received[0]?.claims).toEqual({
      aud: push.origin,
      exp: clock.now().getTime() / 1000 + 12 * 3600,
      sub: FIRST.subject,
    });
  });

  it('another origin, another key pair, or less than an hour of validity gets a new signature', async () => {
    const [one, other] = [await service(), await service()];
    const moving = virtualClock(clock.now());
    const send = make({ clock: moving });
    await send(one.push({}));
    await send(other.push({}));
    await make({}, SECOND)(one.push({}));
    moving.advance(11 * 3_600_000);
    await send(one.push({}));
    moving.advance(1_000);
    await send(one.push({}));
    const jwts = one.received.map(({ jwt }) => jwt);
    expect(jwts[2]).toBe(jwts[0]);
    expect(new Set([...jwts, other.received[0]?.jwt]).size).toBe(4);
    expect(one.received[1]?.publicKey).toBe(SECOND.publicKey);
    expect(one.received[3]?.claims.exp).toBe(clock.now().getTime() / 1000 + 23 * 3600 + 1);
  });

  it('Web Push signs with its own keys even if the process has global ones', async () => {
    webpush.setVapidDetails(SECOND.subject, SECOND.publicKey, SECOND.privateKey);
    onTestFinished(() => Reflect.apply(webpush.setVapidDetails, webpush, [null]));
    const push = await service();
    await make()(push.push({}));
    expect(push.received[0]?.publicKey).toBe(FIRST.publicKey);
  });

  it('a Web Push body of 4,096 bytes is sent, and one byte more fails', async () => {
    const push = await service();
    const send = make();
    expect(await send(push.sized?.('m-fits', 0) ?? push.push({}))).toMatchObject({ result: 'accepted' });
    expect(push.received[0]?.bodyBytes).toBe(4_096);
    expect(await send(push.sized?.('m-over', 1) ?? push.push({}))).toMatchObject({ code: 'payload_too_large' });
    expect(push.hits()).toBe(1);
  });

  it.each([
    [200, { result: 'accepted' }],
    [404, { result: 'failed', code: 'subscription_gone', address: 'dead' }],
    [410, { result: 'failed', code: 'subscription_gone', address: 'dead' }],
    [413, { result: 'failed', code: 'payload_too_large' }],
    [429, { result: 'retry', code: 'http_429', processed: 'no' }],
    [400, { result: 'failed', code: 'vapid_rejected' }],
    [401, { result: 'failed', code: 'vapid_rejected' }],
    [403, { result: 'failed', code: 'vapid_rejected' }],
    [422, { result: 'failed', code: 'http_422' }],
    [301, { result: 'failed', code: 'http_301' }],
    [307, { result: 'failed', code: 'http_307' }],
    [500, { result: 'retry', code: 'http_500', processed: 'unknown' }],
    [503, { result: 'retry', code: 'http_503', processed: 'unknown' }],
  ])('makes its outcome of %s', async (status, expected) => {
    const push = await service();
    const outcome = await make()(push.push({ token: push.subscription(status) }));
    expect(outcome).toMatchObject(expected);
    expect('address' in outcome).toBe('address' in expected);
    expect(push.hits()).toBe(1);
  });

  it('a Web Push answer whose body never ends is decided by its status', async () => {
    const push = await service();
    const sending = make()(push.push({ token: push.subscription('hang-body') }));
    expect(await turnsUntil(sending)).toBeLessThan(2_000);
    expect(await sending).toMatchObject({ result: 'accepted' });
  });

  it('a refused key pair keeps the token, and three origins in a minute refuse the credential', async () => {
    const services = await Promise.all([1, 2, 3].map(() => service([SECOND.publicKey])));
    const moving = virtualClock(clock.now());
    const send = make({ clock: moving });
    const [a, b, c] = services.map((push) => push.push({}));
    if (!a || !b || !c) throw new Error('three services were started');
    const results = [];
    for (const message of [a, a, a, b]) results.push((await send(message)).result);
    moving.advance(60_000);
    results.push((await send(c)).result, (await send(a)).result);
    moving.advance(59_999);
    results.push((await send(b)).result);
    expect(results).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'failed', 'credential']);
    expect(await send(a)).not.toHaveProperty('address');
  });

  it('a key pair that another push service just accepted is not blamed', async () => {
    const refusing = await Promise.all([1, 2, 3].map(() => service([SECOND.publicKey])));
    const taking = await service();
    const send = make();
    const results = [];
    for (const push of [refusing[0], refusing[1], taking, refusing[2]])
      if (push) results.push((await send(push.push({}))).result);
    expect(results).toEqual(['failed', 'failed', 'accepted', 'failed']);
  });

  it('Web Push sends nothing to a private address, and keeps the token', async () => {
    const push = await service();
    const send = make({ allowCidrs: [] });
    const { port } = new URL(push.origin);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '127.1']) {
      const token = push.subscription('accept').replace(push.origin, `https://${host}:${port}`);
      const outcome = await send(push.push({ token }));
      expect(outcome).toMatchObject({ result: 'failed', code: 'blocked_address' });
      expect(outcome).not.toHaveProperty('address');
    }
    expect([push.hits(), push.connections?.()]).toEqual([0, 0]);
  });

  it('Web Push sends only to the hosts and ports that the operator lists', async () => {
    const push = await service();
    const port = Number(new URL(push.origin).port);
    expect(await make({ allowedHosts: ['127.0.0.1'], allowedPorts: [port] })(push.push({}))).toMatchObject({
      result: 'accepted',
    });
    for (const options of [{ allowedHosts: ['*.push.apple.com'] }, { allowedPorts: [443] }])
      expect(await make(options)(push.push({}))).toMatchObject({ result: 'failed', code: 'blocked_address' });
    expect(push.hits()).toBe(1);
  });

  it('an invalid subscription, or one with a key outside the curve, fails', async () => {
    const push = await service();
    const send = make();
    const outside = Buffer.alloc(65, 7).fill(4, 0, 1).toString('base64url');
    const subscription = JSON.parse(push.subscription('accept'));
    const bad = JSON.stringify({ ...subscription, keys: { ...subscription.keys, p256dh: outside } });
    for (const token of ['not json', '{}', 'a'.repeat(64), bad])
      expect(await send(push.push({ token }))).toEqual({
        result: 'failed',
        code: 'invalid_subscription',
        message: expect.any(String),
      });
    expect(push.hits()).toBe(0);
  });

  it('a push service with a certificate of an unknown authority is refused', async () => {
    const push = await service();
    expect(await make({ ca: undefined })(push.push({}))).toMatchObject({ result: 'retry', processed: 'no' });
    expect(push.hits()).toBe(0);
  });
});
