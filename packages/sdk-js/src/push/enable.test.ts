import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePage, KEY, stopTime } from '../../test/support/fake-place.ts';
import { enableWebPush } from './enable.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

const OURS = Uint8Array.from({ length: 65 }, (_, index) => index);
const THEIRS = OURS.map((byte) => byte + 1);
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

type Setup = { readonly permission?: string; readonly answers?: string; readonly subscribedWith?: Uint8Array };

/** A page whose browser has push, with its service worker and subscription. */
const pushPage = ({ permission = 'default', answers = 'granted', subscribedWith }: Setup = {}) => {
  const page = fakePage();
  const done: string[] = [];
  const subscriptionOf = (bytes: Uint8Array) => ({
    endpoint: `https://push.example.com/${bytes[0]}`,
    options: { applicationServerKey: bytes.buffer },
    toJSON: () => ({ endpoint: `https://push.example.com/${bytes[0]}` }),
    unsubscribe: async () => {
      done.push(`unsubscribe ${bytes[0]}`);
      subscription = null;
      return true;
    },
  });
  let subscription = subscribedWith ? subscriptionOf(subscribedWith) : null;
  const registration = {
    scope: 'https://shop.example.com/',
    active: {},
    pushManager: {
      getSubscription: async () => subscription,
      subscribe: async (options: { userVisibleOnly: boolean; applicationServerKey: Uint8Array }) => {
        done.push(`subscribe ${options.applicationServerKey[0]} ${options.userVisibleOnly}`);
        subscription = subscriptionOf(options.applicationServerKey);
        return subscription;
      },
    },
  };
  const serviceWorker = {
    register: async (url: URL, options: { scope?: string }) => {
      done.push(`register ${url.href} ${options.scope}`);
      return registration;
    },
    getRegistration: async (scope: string) => (scope === registration.scope ? registration : undefined),
  };
  const Notification = {
    permission,
    requestPermission: async () => {
      done.push('ask');
      return answers;
    },
  };
  const kept = new Map<string, Response>();
  const caches = {
    open: async () => ({ put: async (path: string, response: Response) => void kept.set(path, response) }),
  };
  Object.assign(page.g.navigator, { serviceWorker });
  Object.assign(page.g, { Notification, PushManager: {}, caches });
  page.service.answers.set('GET /push/web-config', { vapidPublicKey: asText(OURS) });
  page.service.answers.set('POST /push/tokens', { id: 'token-1', anonymousId: 'a', userId: 'ada' });
  return { ...page, done, kept };
};

describe('web push registration', () => {
  it('enableWebPush subscribes with the key of the service and registers the subscription', async () => {
    const page = pushPage();
    const client = page.client();
    const options = { sw: '/beckon-sw.js', scope: '/', appVersion: '2.1', timezone: 'Europe/Paris' };
    expect(await enableWebPush(client, options)).toEqual({ status: 'granted', tokenId: 'token-1' });
    const sw = `https://shop.example.com/beckon-sw.js?baseUrl=https%3A%2F%2Fengage.example.com&apiKey=${KEY}`;
    expect(page.done).toEqual(['ask', `register ${sw} /`, 'subscribe 0 true']);
    expect(page.service.seen.at(-1)).toMatchObject({
      path: '/push/tokens',
      body: {
        token: JSON.stringify({ endpoint: 'https://push.example.com/0' }),
        platform: 'web',
        locale: 'en',
        timezone: 'Europe/Paris',
        appVersion: '2.1',
        anonymousId: expect.any(String),
      },
    });
    expect([...page.kept.keys()]).toEqual(['/.beckon-device']);
  });

  it('enableWebPush keeps a subscription with the same key, and replaces one with another key', async () => {
    const same = pushPage({ permission: 'granted', subscribedWith: OURS });
    await enableWebPush(same.client(), { sw: '/beckon-sw.js' });
    expect(same.done.filter((step) => step.includes('subscribe'))).toEqual([]);
    const other = pushPage({ permission: 'granted', subscribedWith: THEIRS });
    await enableWebPush(other.client(), { sw: '/beckon-sw.js' });
    expect(other.done.filter((step) => step.includes('subscribe'))).toEqual(['unsubscribe 1', 'subscribe 0 true']);
  });

  it('enableWebPush returns an earlier denial without asking again', async () => {
    const refused = pushPage({ permission: 'denied' });
    expect(await enableWebPush(refused.client(), { sw: '/beckon-sw.js' })).toEqual({ status: 'denied' });
    expect(refused.done).toEqual([]);
    const dismissed = pushPage({ answers: 'default' });
    expect(await enableWebPush(dismissed.client(), { sw: '/beckon-sw.js' })).toEqual({ status: 'default' });
    expect(dismissed.done).toEqual(['ask']);
  });

  it('enableWebPush reports a browser without push', async () => {
    expect(await enableWebPush(fakePage().client(), { sw: '/beckon-sw.js' })).toEqual({ status: 'unsupported' });
  });

  it('enableWebPush rejects if the service has no key', async () => {
    const page = pushPage({ permission: 'granted' });
    page.service.refuse({ status: 412, code: 'PROVIDER_NOT_CONFIGURED' });
    await expect(enableWebPush(page.client(), { sw: '/beckon-sw.js' })).rejects.toMatchObject({ status: 412 });
  });

  it('reset unregisters the device and then ends the subscription, on a later page too', async () => {
    const page = pushPage({ permission: 'granted' });
    await enableWebPush(page.client(), { sw: '/beckon-sw.js' });
    const later = page.client();
    await later.reset();
    expect(page.service.seen.at(-1)).toMatchObject({ method: 'DELETE', path: '/push/tokens/token-1' });
    expect(page.done.at(-1)).toBe('unsubscribe 0');
    const calls = page.service.seen.length;
    await later.reset();
    expect(page.service.seen).toHaveLength(calls);
  });

  it('reset ends the subscription even if the service cannot be reached', async () => {
    const page = pushPage({ permission: 'granted' });
    const client = page.client();
    await enableWebPush(client, { sw: '/beckon-sw.js' });
    page.service.state.isDown = true;
    await expect(client.reset()).rejects.toMatchObject({ status: 0 });
    expect(page.done.at(-1)).toBe('unsubscribe 0');
  });
});
