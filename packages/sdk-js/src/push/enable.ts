import type { Client } from '../client-types.ts';
import { DEVICE_CACHE, DEVICE_PATH } from '../device-cache.ts';
import type { PushToken, WebConfig } from '../generated/wire.ts';
import type { Globals } from '../globals.ts';
import { internalsOf } from '../internals.ts';
import { WORKER_SCOPE } from './unsubscribe.ts';

export type WebPushOptions = {
  /** Where the service worker is, on the page's own origin; the client's `baseUrl` and `apiKey` are added to its query. */
  readonly sw: string;
  /** What the service worker is for; default the folder that it is in. */
  readonly scope?: string | undefined;
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
  readonly appVersion?: string | undefined;
};
/** What came of it; `tokenId` is the device of the service. */
export type WebPushResult =
  | { readonly status: 'granted'; readonly tokenId: string }
  | { readonly status: 'unsupported' | 'denied' | 'default' };

/** Bytes of a VAPID key, which travels as base64url. */
const bytesOfKey = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));

const isSame = (one: ArrayBuffer | null, other: Uint8Array): boolean => {
  const bytes = one && new Uint8Array(one);
  return bytes !== null && bytes.length === other.length && bytes.every((byte, index) => byte === other[index]);
};

/**
 * Subscribes this browser to push and registers it with the service. Call it from a click: browsers ask nobody else.
 * Permission is asked for once; what the person said before is answered as it is.
 *
 * @param client made by `createClient`
 * @returns what came of it. Rejects with ApiError where the service refused, and with what the browser says where the
 * service worker could not be registered or the push service not be reached.
 */
export const enableWebPush = async (client: Client, options: WebPushOptions): Promise<WebPushResult> => {
  const { g, slots } = internalsOf(client);
  const { sw, scope, locale, timezone, appVersion } = options;
  const container = g.navigator?.serviceWorker;
  if (!container || !g.PushManager || !g.Notification || !g.location) return { status: 'unsupported' };
  const { Notification } = g;
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  if (permission !== 'granted') return { status: permission };

  const url = new URL(sw, g.location.href);
  url.searchParams.set('baseUrl', client.baseUrl);
  url.searchParams.set('apiKey', client.apiKey);
  const registration = await container.register(url, scope === undefined ? {} : { scope });
  await activated(registration);
  // Safe: the answer of this route, as the interface describes it.
  const { vapidPublicKey } = (await client.call('GET', '/push/web-config')) as WebConfig;
  const applicationServerKey = bytesOfKey(vapidPublicKey);
  const existing = await registration.pushManager.getSubscription();
  const isOurs = existing !== null && isSame(existing.options.applicationServerKey, applicationServerKey);
  if (existing && !isOurs) await existing.unsubscribe();
  const subscription =
    existing && isOurs
      ? existing
      : await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });

  const device = await client.registerToken({
    token: JSON.stringify(subscription),
    platform: 'web',
    locale: locale ?? g.navigator?.language ?? null,
    timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    appVersion: appVersion ?? null,
  });
  slots.set(WORKER_SCOPE, registration.scope);
  await keepForWorker(g, device);
  return { status: 'granted', tokenId: device.id };
};

/** What the service worker says of the device when its subscription is renewed; it reads no other storage of pages. */
const keepForWorker = async (
  g: Globals,
  { userId, anonymousId, locale, timezone, appVersion }: PushToken,
): Promise<void> => {
  const cache = await g.caches?.open(DEVICE_CACHE);
  await cache?.put(DEVICE_PATH, new Response(JSON.stringify({ userId, anonymousId, locale, timezone, appVersion })));
};

/** Resolves when the registration has a worker that runs; `ready` would wait for one that controls this very page. */
const activated = (registration: ServiceWorkerRegistration): Promise<void> =>
  new Promise((done) => {
    const worker = registration.active ? null : (registration.installing ?? registration.waiting);
    if (!worker) return done();
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated' || worker.state === 'redundant') done();
    });
  });
