import { describe, expect, it } from 'vitest';
import { DEVICE_PATH } from '../device-cache.ts';
import { handlePushes } from './handle-pushes.ts';

const QUERY = '?baseUrl=https%3A%2F%2Fengage.example.com%2F&apiKey=pk_test_key';

type Setup = { readonly query?: string; readonly pages?: readonly string[]; readonly maxActions?: number };

/** A service worker's global that records calls. */
const worker = ({ query = QUERY, pages = [], maxActions }: Setup = {}) => {
  const listeners = new Map<string, (event: object) => void>();
  const posted: (readonly [url: string, body: Record<string, unknown>])[] = [];
  const shown: (readonly [title: string, options: Record<string, unknown>])[] = [];
  const done: string[] = [];
  const state = {
    answers: (): Promise<Response> =>
      Promise.resolve(Response.json({ success: true, data: { vapidPublicKey: 'fresh' } })),
  };
  const device = { userId: 'ada', locale: 'nl' };
  const scope = {
    location: { href: `https://shop.example.com/beckon-sw.js${query}` },
    registration: {
      showNotification: async (title: string, options: Record<string, unknown>) => void shown.push([title, options]),
      pushManager: {
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
          done.push(`subscribe ${applicationServerKey}`);
          return { endpoint: 'https://push.example.com/new' };
        },
      },
    },
    clients: {
      matchAll: async () => pages.map((url) => ({ url, focus: async () => void done.push(`focus ${url}`) })),
      openWindow: async (url: string) => void done.push(`open ${url}`),
    },
    caches: { match: async (path: string) => (path === DEVICE_PATH ? Response.json(device) : undefined) },
    ...(maxActions !== undefined && { Notification: { maxActions } }),
    fetch: (url: string, init?: RequestInit) => {
      if (init?.method === 'POST') {
        expect(init).toMatchObject({ keepalive: true, headers: { 'x-api-key': 'pk_test_key' } });
        posted.push([url, JSON.parse(String(init.body))]);
      }
      return state.answers();
    },
    addEventListener: (type: string, listener: (event: object) => void) => void listeners.set(type, listener),
  };
  handlePushes(scope);
  const fire = async (type: string, event: object = {}): Promise<void> => {
    const work: Promise<unknown>[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (one: Promise<unknown>) => work.push(one) });
    await Promise.all(work);
  };
  const click = async (action: string, data: unknown): Promise<boolean> => {
    let isClosed = false;
    await fire('notificationclick', { action, notification: { data, close: () => (isClosed = true) } });
    return isClosed;
  };
  return {
    fire,
    push: (payload: unknown) => fire('push', { data: { json: () => payload } }),
    click,
    posted,
    shown,
    done,
    state,
  };
};

const payload = {
  title: 'Sale',
  body: 'Today',
  image: 'https://shop.example.com/i.png',
  tag: 'message-1',
  actions: [
    { id: 'buy', title: 'Buy', url: '/buy' },
    { id: 'later', title: 'Later' },
    { id: 'no', title: 'No' },
  ],
  data: { serviceSendId: 'send-1', serviceMessageId: 'message-1', url: '/sale' },
};
const ids = { sendId: 'send-1', messageId: 'message-1' };

describe('a push', () => {
  it('a push is shown under its tag, with as many buttons as the platform supports, and reported with both ids', async () => {
    const { push, shown, posted } = worker({ maxActions: 2 });
    await push(payload);
    expect(shown).toMatchObject([
      [
        'Sale',
        {
          body: 'Today',
          image: 'https://shop.example.com/i.png',
          tag: 'message-1',
          actions: [{ action: 'buy' }, { action: 'later' }],
        },
      ],
    ]);
    expect(posted).toEqual([['https://engage.example.com/api/v1/push/track-delivered', ids]]);
  });

  it('a repeated push replaces the first, because both have one tag', async () => {
    const { push, shown } = worker();
    await push(payload);
    await push(payload);
    expect(shown.map(([, { tag }]) => tag)).toEqual(['message-1', 'message-1']);
  });

  it('a push of another sender is ignored', async () => {
    const { push, fire, shown, posted } = worker();
    for (const foreign of [null, 'text', {}, { title: 'x' }, { data: {} }, { data: { serviceSendId: 7 } }])
      await push(foreign);
    await fire('push', { data: null });
    await fire('push', {
      data: {
        json: () => {
          throw new SyntaxError('no JSON');
        },
      },
    });
    expect([shown, posted]).toEqual([[], []]);
  });

  it('a push is shown even if its report fails', async () => {
    const { push, shown, state } = worker();
    state.answers = () => Promise.reject(new TypeError('Failed to fetch'));
    await push(payload);
    expect(shown).toHaveLength(1);
  });
});

describe('a notification click', () => {
  it.each([
    ['', 'body', 'https://shop.example.com/sale'],
    ['buy', 'buy', 'https://shop.example.com/buy'],
    ['later', 'later', 'https://shop.example.com/sale'],
  ])('a click on "%s" is reported as %s and opens %s', async (action, clickAction, url) => {
    const { click, posted, done } = worker();
    expect(await click(action, payload)).toBe(true);
    expect(posted).toEqual([['https://engage.example.com/api/v1/push/track-open', { ...ids, clickAction }]]);
    expect(done).toEqual([`open ${url}`]);
  });

  it('a click focuses a page that shows the URL already', async () => {
    const { click, done } = worker({ pages: ['https://shop.example.com/', 'https://shop.example.com/sale'] });
    await click('', payload);
    expect(done).toEqual(['focus https://shop.example.com/sale']);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://', 7, undefined])(
    'a click opens nothing for %s, and is reported nevertheless',
    async (url) => {
      const { click, posted, done } = worker();
      await click('', { ...payload, data: { ...payload.data, url } });
      expect([done, posted.length]).toEqual([[], 1]);
    },
  );

  it('a click opens its URL even if its report fails', async () => {
    const { click, done, state } = worker();
    state.answers = () => Promise.reject(new TypeError('Failed to fetch'));
    await click('', payload);
    expect(done).toEqual(['open https://shop.example.com/sale']);
  });

  it('a click on a notification of another sender is ignored', async () => {
    const { click, posted } = worker();
    expect(await click('', { url: '/' })).toBe(false);
    expect(posted).toEqual([]);
  });
});

describe('a renewed push subscription', () => {
  const renewed = [
    'https://engage.example.com/api/v1/push/tokens',
    expect.objectContaining({ platform: 'web', userId: 'ada', locale: 'nl' }),
  ];

  it('an expired subscription is replaced with the same key and registered for the same user', async () => {
    const { fire, posted, done } = worker();
    await fire('pushsubscriptionchange', { oldSubscription: { options: { applicationServerKey: 'old' } } });
    expect(done).toEqual(['subscribe old']);
    expect(posted).toEqual([renewed]);
    expect(posted[0]?.[1]['token']).toBe('{"endpoint":"https://push.example.com/new"}');
  });

  it('a subscription that the browser renewed itself is registered', async () => {
    const { fire, posted, done } = worker();
    await fire('pushsubscriptionchange', { newSubscription: { endpoint: 'https://push.example.com/made' } });
    expect(done).toEqual([]);
    expect(posted[0]?.[1]['token']).toBe('{"endpoint":"https://push.example.com/made"}');
  });

  it('the key of the service is used if the browser does not pass the old subscription', async () => {
    const { fire, done } = worker();
    await fire('pushsubscriptionchange');
    expect(done).toEqual(['subscribe fresh']);
  });
});

describe('the URL of a worker', () => {
  it.each(['', '?baseUrl=https://engage.example.com', '?apiKey=pk_test_key'])(
    'a worker URL without baseUrl or apiKey is rejected: "%s"',
    (query) => {
      expect(() => worker({ query })).toThrow(TypeError);
    },
  );
});
