import { DEVICE_CACHE, DEVICE_PATH } from '../device-cache.ts';
import type { DeviceInput, PushDeliveredInput, PushOpenInput } from '../generated/wire.ts';

/** The parts of a service worker's scope that are used here; the DOM types lack most of them. */
export type WorkerScope = {
  readonly location: { readonly href: string };
  readonly registration: {
    showNotification(title: string, options: Record<string, unknown>): Promise<void>;
    readonly pushManager: PushManager;
  };
  readonly clients: {
    matchAll(options: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly Page[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly Notification?: { readonly maxActions?: number } | undefined;
  readonly caches?: CacheStorage | undefined;
  readonly fetch: typeof fetch;
  addEventListener(type: string, listener: (event: never) => void): void;
};
type Page = { readonly url: string; focus(): Promise<unknown> };
type Waiting = { waitUntil(work: Promise<unknown>): void };
type PushEvent = Waiting & { readonly data: { json(): unknown } | null };
type ClickEvent = Waiting & {
  readonly action: string;
  readonly notification: { readonly data: unknown; close(): void };
};
type ChangeEvent = Waiting & {
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
};
type Action = { readonly id: string; readonly title: string; readonly url?: string; readonly icon?: string };
type Payload = {
  readonly title?: string;
  readonly body?: string;
  readonly icon?: string;
  readonly image?: string;
  readonly tag?: string;
  readonly actions?: readonly Action[];
  readonly data: { readonly serviceSendId: string; readonly serviceMessageId?: string; readonly url?: unknown };
};

/** Number of buttons if the browser does not report a maximum. Source: interface, Limits, action buttons. */
const MAX_ACTIONS = 4;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isOurs = (value: unknown): value is Payload =>
  isObject(value) && isObject(value['data']) && typeof value['data']['serviceSendId'] === 'string';

const payloadOf = (event: PushEvent): Payload | null => {
  try {
    const value: unknown = event.data?.json();
    return isOurs(value) ? value : null;
  } catch {
    return null;
  }
};

/**
 * Shows pushes, reports that they were shown and clicked, opens their URLs, and registers a subscription that the
 * browser has renewed. Ignores pushes of other senders. The service's URL and the public key come from the query of the
 * worker's own URL, never from a push.
 *
 * @param worker the global of a service worker. Throws TypeError if its URL lacks `baseUrl` or `apiKey`.
 */
export const handlePushes = (worker: object): void => {
  // Safe: it is called in a service worker, whose global has all of these.
  const scope = worker as WorkerScope;
  const self = new URL(scope.location.href);
  const baseUrl = self.searchParams.get('baseUrl')?.replace(/\/+$/, '');
  const apiKey = self.searchParams.get('apiKey');
  if (!baseUrl || !apiKey) throw new TypeError('The URL of the service worker needs ?baseUrl=...&apiKey=pk_...');

  const post = (path: string, body: unknown): Promise<unknown> =>
    scope
      .fetch(`${baseUrl}/api/v1/push/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        keepalive: true,
        credentials: 'omit',
      })
      // A failed report must not stop the action that the user clicked.
      .catch(() => {});
  const idsOf = ({ data }: Payload): PushDeliveredInput => ({
    sendId: data.serviceSendId,
    messageId: data.serviceMessageId ?? null,
  });

  const show = async (payload: Payload): Promise<void> => {
    const { title, body, icon, image, tag, actions = [] } = payload;
    const most = scope.Notification?.maxActions ?? MAX_ACTIONS;
    const shown = actions.slice(0, most).map(({ id, title, icon }) => ({ action: id, title, icon }));
    // A push with neither is for the application alone, but a browser requires a notification.
    await scope.registration.showNotification(title ?? body ?? '', {
      body: title === undefined ? undefined : body,
      icon,
      image,
      tag,
      actions: shown,
      data: payload,
    });
    await post('track-delivered', idsOf(payload));
  };

  const open = async (target: unknown): Promise<void> => {
    const url = typeof target === 'string' ? parse(target, self) : null;
    if (!url) return;
    const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const page = pages.find((one) => one.url === url.href);
    await (page ? page.focus() : scope.clients.openWindow(url.href));
  };

  const renew = async ({ oldSubscription, newSubscription }: ChangeEvent): Promise<void> => {
    const { pushManager } = scope.registration;
    const key = oldSubscription?.options.applicationServerKey ?? (await serverKey());
    const subscription =
      newSubscription ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
    await post('tokens', { ...(await device()), token: JSON.stringify(subscription), platform: 'web' });
  };
  /** The registration that the page stored; empty if it cannot be read. */
  const device = async (): Promise<Partial<DeviceInput>> => {
    const kept = await scope.caches?.match(DEVICE_PATH, { cacheName: DEVICE_CACHE }).catch(() => undefined);
    return kept ? kept.json() : {};
  };
  /** Some browsers do not pass the old subscription. */
  const serverKey = async (): Promise<string> => {
    const response = await scope.fetch(`${baseUrl}/api/v1/push/web-config`, { headers: { 'x-api-key': apiKey } });
    // Safe: the response of this route, as the API describes it.
    const { data } = (await response.json()) as { data: { vapidPublicKey: string } };
    return data.vapidPublicKey;
  };

  scope.addEventListener('push', (event: PushEvent) => {
    const payload = payloadOf(event);
    if (payload) event.waitUntil(show(payload));
  });
  scope.addEventListener('notificationclick', (event: ClickEvent) => {
    const payload: unknown = event.notification.data;
    if (!isOurs(payload)) return;
    event.notification.close();
    const clicked = payload.actions?.find(({ id }) => id === event.action);
    const report: PushOpenInput = { ...idsOf(payload), clickAction: event.action || 'body' };
    // The window is opened first: a browser allows it for a moment only.
    const opened = open(clicked?.url ?? payload.data.url);
    event.waitUntil(Promise.allSettled([opened, post('track-open', report)]));
  });
  scope.addEventListener('pushsubscriptionchange', (event: ChangeEvent) => event.waitUntil(renew(event)));
};

/** A URL that may be opened; null for URLs that run code or open programs. */
const parse = (target: string, base: URL): URL | null => {
  try {
    const url = new URL(target, base.origin);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
  } catch {
    return null;
  }
};
