import type { Client } from '../client-types.ts';
import { DEVICE_CACHE, DEVICE_PATH } from '../device-cache.ts';
import type { PushToken, WebConfig } from '../generated/wire.ts';
import type { Globals } from '../globals.ts';
import { internalsOf } from '../internals.ts';
import { WORKER_SCOPE } from './unsubscribe.ts';

export type WebPushOptions = {
  /**
   * URL of the service worker, on the page's own origin. The client's `baseUrl` and `apiKey` are added to its query.
   */
  readonly sw: string;
  /** Scope of the service worker. Default: its folder. */
  readonly scope?: string | undefined;
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
  readonly appVersion?: string | undefined;
};
/** The result; `tokenId` is the id of the device. */
export type WebPushResult =
  | { readonly status: 'granted'; readonly tokenId: string }
  | { readonly status: 'unsupported' | 'denied' | 'default' };

/** Bytes of a VAPID key, which is encoded as base64url. */
const bytesOfKey = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));

const isSame = (one: ArrayBuffer | null, other: Uint8Array): boolean => {
  const bytes = one && new Uint8Array(one);
  return bytes !== null && bytes.length === other.length && bytes.every((byte, index) => byte === other[index]);
};

/**
 * Subscribes this browser to push and registers it with the service. Call it from a click: browsers show the prompt
 * only then. An earlier answer of the user is returned without a prompt.
 *
 * @param client created by `createClient`
 * @returns the result. Rejects with ApiError if the service rejected the call, and with the browser's error if the
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
  // Safe: the response of this route, as the API describes it.
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

/**
 * The registration that the service worker sends when its subscription is renewed; it cannot read the page's storage.
 */
const keepForWorker = async (
  g: Globals,
  { userId, anonymousId, locale, timezone, appVersion }: PushToken,
): Promise<void> => {
  const cache = await g.caches?.open(DEVICE_CACHE);
  await cache?.put(DEVICE_PATH, new Response(JSON.stringify({ userId, anonymousId, locale, timezone, appVersion })));
};

/** Resolves when the registration has an active worker; `ready` would wait for one that controls this very page. */
const activated = (registration: ServiceWorkerRegistration): Promise<void> =>
  new Promise((done) => {
    const worker = registration.active ? null : (registration.installing ?? registration.waiting);
    if (!worker) return done();
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated' || worker.state === 'redundant') done();
    });
  });
