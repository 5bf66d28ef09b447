import { makeAuth } from '../../src/auth/auth.ts';
import type { Auth } from '../../src/auth/auth-types.ts';
import type { AuthChange } from '../../src/auth/shapes.ts';
import type { WithPasskeys } from '../../src/auth/webauthn.ts';
import type { FakeAuthService } from './fake-auth-service.ts';
import { KEY } from './fake-place.ts';

export type Tab = {
  readonly auth: Auth;
  readonly changes: AuthChange[];
  readonly g: WithPasskeys;
  /** Ends the tab: its timers, requests and locks end with it. */
  close(): void;
};
type Options = {
  readonly hasLocks?: boolean;
  /** What happens to a request: `lost` reaches the service, and its answer never arrives. */
  readonly network?: (path: string, body: Readonly<Record<string, unknown>>) => 'works' | 'offline' | 'lost';
  /** Duration of one direction, in milliseconds. */
  readonly delayMs?: () => number;
  readonly more?: object;
};

/** Tabs of one site: they share a storage, locks and the clock of their device, which may be wrong. */
export const fakeTabs = (service: FakeAuthService, options: Options = {}) => {
  const { hasLocks = true, network = () => 'works', delayMs = () => 5, more = {} } = options;
  const items = new Map<string, string>();
  const device = { shiftMs: 0 };
  const tabs = new Set<EventTarget>();
  const waiting: (() => void)[] = [];
  let holder: EventTarget | null = null;

  const open = (): Tab => {
    const window = new EventTarget();
    tabs.add(window);
    const isOpen = (): boolean => tabs.has(window);
    const never = new Promise<never>(() => {});
    const notify = (key: string): void => {
      for (const other of tabs)
        if (other !== window)
          setTimeout(() => tabs.has(other) && other.dispatchEvent(Object.assign(new Event('storage'), { key })), 1);
    };
    const release = (): void => {
      if (holder !== window) return;
      holder = null;
      waiting.shift()?.();
    };
    const request = async (_name: string, work: () => Promise<unknown>): Promise<unknown> => {
      while (holder !== null) await new Promise<void>((done) => void waiting.push(done));
      if (!isOpen()) {
        waiting.shift()?.();
        return never;
      }
      holder = window;
      try {
        return await work();
      } finally {
        release();
      }
    };
    const pass = (): Promise<void> => new Promise((done) => void setTimeout(done, delayMs()));
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const fate = network(url.replace(/.*\/auth-service/, ''), JSON.parse(String(init.body ?? '{}')));
      await pass();
      if (fate === 'offline') throw new TypeError('Failed to fetch');
      const response = await service.fetch(url, init);
      await pass();
      if (fate === 'lost') throw new TypeError('Failed to fetch');
      return isOpen() ? response : never;
    };
    class DeviceDate extends Date {
      static override now(): number {
        return Date.now() + device.shiftMs;
      }
    }
    const g = {
      window,
      fetch,
      Date: DeviceDate,
      performance,
      Math,
      crypto,
      navigator: { onLine: true, ...(hasLocks && { locks: { request } }) },
      localStorage: {
        getItem: (name: string) => items.get(name) ?? null,
        setItem: (name: string, value: string) => {
          if (!isOpen()) return;
          items.set(name, value);
          notify(name);
        },
        removeItem: (name: string) => {
          if (isOpen() && items.delete(name)) notify(name);
        },
      },
      // A closed tab runs no timers.
      setTimeout: (work: () => void, ms: number) => setTimeout(() => void (isOpen() && work()), ms),
      clearTimeout,
      ...more,
    };
    // Safe: it has what sign-in uses of a page.
    const globals = g as unknown as WithPasskeys;
    const auth = makeAuth({ apiKey: KEY, baseUrl: 'https://engage.example.com' }, {}, globals);
    const changes: AuthChange[] = [];
    auth.onChange((change) => void changes.push(change));
    return {
      auth,
      changes,
      g: globals,
      close: () => {
        tabs.delete(window);
        auth.close();
        release();
      },
    };
  };
  return { open, device, items };
};
