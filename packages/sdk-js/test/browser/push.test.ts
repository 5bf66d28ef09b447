import { createECDH } from 'node:crypto';
import type { CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorld, type Visitor, type World } from '../site.ts';

/*
 * Headless Chromium has no push service, so the subscription is made up here, and the browser's debugger delivers
 * pushes to the service worker. Everything else is real: worker, notifications, reports, the service. What needs a
 * subscription (`pushsubscriptionchange`, another key) is tested beside the sources.
 */
let world: World;
let visitor: Visitor;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());
afterEach(() => visitor?.context.close());

const curve = createECDH('prime256v1');
curve.generateKeys();
const SUBSCRIPTION = JSON.stringify({
  endpoint: 'https://fcm.googleapis.com/fcm/send/made-up',
  keys: { p256dh: curve.getPublicKey('base64url'), auth: Buffer.alloc(16, 7).toString('base64url') },
});

type Sent = { readonly sendId: string; readonly messageId: string };

const post = async (path: string, body: unknown): Promise<{ readonly id: string }> => {
  const headers = { 'x-api-key': world.service.secretKey, 'content-type': 'application/json' };
  const response = await fetch(`${world.service.url}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  // Safe: the envelope of a created resource.
  return ((await response.json()) as { data: { id: string } }).data;
};

/** A real send to this visitor. */
const send = async (page: Page): Promise<Sent> => {
  await page.evaluate(async (token) => {
    await window.beckon.identify('ada');
    await window.beckon.registerToken({ token, platform: 'web' });
  }, SUBSCRIPTION);
  const { id: sendId } = await post('/push/send', {
    userIds: ['ada'],
    title: 'Sale',
    body: 'Today',
    data: { url: '/sale' },
  });
  // Safe: the rows of this route, as the API describes them.
  const messages = async () =>
    (await world.service.get(`/push/sends/${sendId}/messages`)).data as readonly { id: string; status: string }[];
  const message = await vi.waitFor(
    async () => {
      const [first] = await messages();
      if (first?.status !== 'sent') throw new Error(`the message is ${first?.status}`);
      return first;
    },
    { interval: 100 },
  );
  return { sendId, messageId: message.id };
};

/** The worker of the page, and a function that delivers pushes to it. */
const workerOf = async (page: Page): Promise<{ worker: Worker; deliver: (payload: unknown) => Promise<unknown> }> => {
  const cdp: CDPSession = await visitor.context.newCDPSession(page);
  const registered = new Promise<string>((done) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) done(first.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  const added = visitor.context.waitForEvent('serviceworker');
  await page.click('#push');
  const [worker, registrationId] = await Promise.all([added, registered]);
  const origin = new URL(page.url()).origin;
  const deliver = (payload: unknown): Promise<unknown> =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(payload) });
  return { worker, deliver };
};

const arrive = async (sw = '/beckon-sw.js'): Promise<Page> => {
  visitor = await world.visitor();
  await visitor.context.grantPermissions(['notifications'], { origin: world.siteUrl });
  const page = await visitor.open('/');
  await page.evaluate((given) => {
    document.getElementById('push')?.addEventListener('click', () => {
      Beckon.enableWebPush(window.beckon, { sw: given }).then(
        ({ status }) => window.errors.push(status),
        (error: unknown) => window.errors.push(String(error)),
      );
    });
  }, sw);
  return page;
};
const reports = () =>
  world.gate.passed
    .filter(({ path }) => /\/push\/track-/.test(path))
    .map(({ path, body, status }) => [path.split('/').at(-1), JSON.parse(body), status]);

describe('web push in Chromium', () => {
  it('a repeated push is shown once, and its receipt and click are reported', async () => {
    const page = await arrive();
    const ids = await send(page);
    const { worker, deliver } = await workerOf(page);
    const data = { serviceSendId: ids.sendId, serviceMessageId: ids.messageId, url: '/sale' };
    const payload = { title: 'Sale', body: 'Today', tag: ids.messageId, actions: [{ id: 'buy', title: 'Buy' }], data };
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await deliver(payload);
    await deliver(payload);
    await deliver({ title: 'Of somebody else' });
    await vi.waitFor(() => expect(reports().filter(([, , status]) => status === 200)).toHaveLength(2));
    expect(reports()[0]).toEqual(['track-delivered', ids, 200]);
    const shown = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      return (await registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag }));
    });
    expect(shown).toEqual([{ title: 'Sale', body: 'Today', tag: ids.messageId }]);
    for (const action of ['', 'buy'])
      await worker.evaluate(async (given) => {
        // Safe: the global of a service worker, which the DOM types lack.
        const scope = globalThis as unknown as {
          registration: ServiceWorkerRegistration;
          NotificationEvent: typeof Event;
        };
        const [notification] = await scope.registration.getNotifications();
        const init: object = { notification, action: given };
        dispatchEvent(new scope.NotificationEvent('notificationclick', init));
        if (given === '') await scope.registration.showNotification('Sale', { data: notification?.data });
      }, action);
    const opened = [
      ['track-open', { ...ids, clickAction: 'body' }, 200],
      ['track-open', { ...ids, clickAction: 'buy' }, 200],
    ];
    await vi.waitFor(() => expect(reports().filter(([name]) => name === 'track-open')).toEqual(opened));
    const state = (await world.service.get(`/push/sends/${ids.sendId}/messages`)).data;
    expect(state).toMatchObject([{ id: ids.messageId, status: 'delivered', clickAction: 'buy' }]);
  });

  it("a worker of the site may import the service's worker script", async () => {
    const page = await arrive('/own-sw.js');
    const ids = await send(page);
    const { deliver } = await workerOf(page);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    const data = { serviceSendId: ids.sendId, serviceMessageId: ids.messageId };
    await deliver({ title: 'Sale', body: 'Today', tag: ids.messageId, data });
    await vi.waitFor(() => expect(reports()).toContainEqual(['track-delivered', ids, 200]));
    expect(world.gate.passed.filter(({ path }) => path === '/beckon-sw.js')).toMatchObject([{ status: 200 }]);
  });

  it('enableWebPush reaches the push service, which headless Chromium lacks', async () => {
    const page = await arrive();
    await page.click('#push');
    await vi.waitFor(async () => expect(await page.evaluate(() => window.errors)).toHaveLength(1));
    expect(world.gate.passed.some(({ path }) => path === '/api/v1/push/web-config')).toBe(true);
    const [said] = await page.evaluate(() => window.errors);
    expect(said).toMatch(/AbortError|NotAllowedError|granted/);
  });
});
