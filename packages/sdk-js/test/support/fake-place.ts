import { vi } from 'vitest';
import { makeClient } from '../../src/client.ts';
import type { ApiError } from '../../src/errors.ts';
import type { Globals } from '../../src/globals.ts';
import type { ClientOptions } from '../../src/options.ts';
import { makePageClient } from '../../src/page-client.ts';
import { type FakeService, fakeService } from './fake-service.ts';

export const KEY = 'pk_test_key';
const ORIGIN = 'https://shop.example.com';

/** A storage whose items are its own properties, like a browser's. */
export const fakeStorage = (refuses: (name: string) => boolean = () => false): Storage => {
  const methods = {
    getItem: (name: string): string | null => items[name] ?? null,
    setItem: (name: string, value: string): void => {
      if (refuses(name)) throw new DOMException('full', 'QuotaExceededError');
      items[name] = value;
    },
    removeItem: (name: string): void => {
      delete items[name];
    },
  };
  const items: Record<string, string> = Object.create(methods);
  // Safe: it has the methods that the client calls.
  return items as unknown as Storage;
};

/** Grants one lock after the other, like `navigator.locks` for all pages of a site. */
export const fakeLocks = () => {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, work: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(work, work);
    return last;
  };
  // Safe: the one method that the client calls.
  return { request } as unknown as LockManager;
};

type Site = {
  readonly service?: FakeService;
  readonly localStorage?: Storage | undefined;
  readonly locks?: LockManager | undefined;
  readonly navigation?: EventTarget | undefined;
  readonly referrer?: string;
};

/** One page of a site with its own clock; pages of one site share service, storage and locks. */
export const fakePage = (site: Site = {}) => {
  const service = site.service ?? fakeService();
  const locks = 'locks' in site ? site.locks : fakeLocks();
  const window = new EventTarget();
  const state = { visibility: 'visible', takesBeacon: (_text: string): boolean => true };
  const document = Object.assign(new EventTarget(), { title: 'Shop', referrer: site.referrer ?? '' });
  Object.defineProperty(document, 'visibilityState', { get: () => state.visibility });
  const location = { href: `${ORIGIN}/`, pathname: '/' };
  const go = (_state: unknown, _title: string, url: string): void => {
    const next = new URL(url, location.href);
    Object.assign(location, { href: next.href, pathname: next.pathname });
  };
  const history = { pushState: go, replaceState: go };
  const navigator = {
    onLine: true,
    language: 'en',
    ...(locks && { locks }),
    sendBeacon: (url: string, text: string): boolean => {
      if (!state.takesBeacon(text)) return false;
      service.beacon(url, text);
      return true;
    },
  };
  const warnings: string[] = [];
  const g = {
    console: { warn: (text: string): void => void warnings.push(text) },
    window,
    document,
    location,
    history,
    navigator,
    navigation: site.navigation,
    localStorage: 'localStorage' in site ? site.localStorage : fakeStorage(),
    fetch: service.fetch,
    crypto,
    // The middle of every wait.
    Math: { random: () => 0.5 },
    Date,
    performance,
    setTimeout: (...args: Parameters<typeof setTimeout>) => setTimeout(...args),
    clearTimeout: (...args: Parameters<typeof clearTimeout>) => clearTimeout(...args),
  };
  // Safe: it has what the client uses of a page.
  const globals = g as unknown as Globals;
  const errors: ApiError[] = [];
  const options = (args: Partial<ClientOptions>): ClientOptions => ({
    apiKey: KEY,
    baseUrl: 'https://engage.example.com/',
    autoTrack: false,
    onError: (error) => void errors.push(error),
    ...args,
  });
  const dispatch = (target: EventTarget, type: string): void => void target.dispatchEvent(new Event(type));
  const show = (visibility: 'visible' | 'hidden'): void => {
    state.visibility = visibility;
    dispatch(window, 'visibilitychange');
  };
  return {
    g,
    globals,
    service,
    state,
    errors,
    warnings,
    codes: () => errors.map(({ code }) => code),
    client: (args: Partial<ClientOptions> = {}) => makePageClient<Record<string, object>>(options(args), globals),
    /** The queue in the storage that pages share. */
    kept: () => Object.keys(globals.localStorage ?? {}).filter((name) => name.includes(':e:')),
    show,
    /** Leaves the page, like a navigation to another one. */
    leave: () => {
      dispatch(window, 'pagehide');
      show('hidden');
    },
    online: (isOnline: boolean): void => {
      navigator.onLine = isOnline;
      dispatch(window, isOnline ? 'online' : 'offline');
    },
    dispatch,
  };
};

/** The same without a page, as on a server. */
export const fakeServer = (service: FakeService) => {
  const { g } = fakePage({ service });
  const { window: _w, document: _d, localStorage: _l, navigator: _n, location: _o, history: _h, ...bare } = g;
  // Safe: what a server has.
  return (options: Partial<ClientOptions> = {}) =>
    makeClient({ apiKey: KEY, baseUrl: 'https://engage.example.com', ...options }, bare as unknown as Globals);
};

/** Advances the time and runs everything that becomes due. */
export const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};
/** Call it before each test. */
export const stopTime = (): void => {
  vi.useFakeTimers({
    now: new Date('2026-03-01T12:00:00Z'),
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
  });
};
