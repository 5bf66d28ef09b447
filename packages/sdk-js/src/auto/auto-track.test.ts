import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePage, fakeStorage, pass, stopTime } from '../../test/support/fake-place.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

type Part = { readonly selectors?: readonly string[]; readonly href?: string; readonly textContent?: string };
/** A click with a composed path through these elements, innermost first, which may cross shadow roots. */
const click = (page: ReturnType<typeof fakePage>, ...parts: readonly Part[]): void => {
  const path = parts.map((part) => ({
    ...part,
    matches: (selector: string) => part.selectors?.includes(selector) ?? false,
  }));
  const event = new Event('click');
  Object.defineProperty(event, 'composedPath', { value: () => [...path, page.g.document, page.g.window] });
  page.g.window.dispatchEvent(event);
};
const link: Part = { selectors: ['a[href]'], href: 'https://shop.example.com/cart', textContent: ' Cart ' };

const tracked = async (page: ReturnType<typeof fakePage>, client: { flush(): Promise<void> }) => {
  await client.flush();
  return [...page.service.stored.values()].map(({ eventType, properties }) => [eventType, properties] as const);
};
const named = (events: readonly (readonly [unknown, unknown])[], name: string): unknown[] =>
  events.filter(([eventType]) => eventType === name).map(([, properties]) => properties);

describe('auto-tracking', () => {
  it('a client tracks a session and a page view at start, and nothing with autoTrack off', async () => {
    const page = fakePage({ referrer: 'https://search.example.com/' });
    expect(await tracked(page, page.client({ autoTrack: true }))).toEqual([
      ['session.started', {}],
      [
        'page.viewed',
        { url: 'https://shop.example.com/', path: '/', title: 'Shop', referrer: 'https://search.example.com/' },
      ],
    ]);
    const quiet = fakePage();
    const client = quiet.client({ autoTrack: false });
    click(quiet, link);
    quiet.show('hidden');
    expect(await tracked(quiet, client)).toEqual([]);
  });

  it('patched history yields a page view for each new URL and none for the same URL', async () => {
    const page = fakePage();
    const client = page.client({ autoTrack: true });
    page.g.history.pushState(null, '', '/two');
    page.g.history.replaceState(null, '', '/two');
    page.g.history.replaceState(null, '', '/three');
    Object.assign(page.g.location, { href: 'https://shop.example.com/two', pathname: '/two' });
    page.dispatch(page.g.window, 'popstate');
    const views = named(await tracked(page, client), 'page.viewed');
    expect(views).toMatchObject([
      { path: '/', referrer: '' },
      { path: '/two', referrer: 'https://shop.example.com/' },
      { path: '/three', referrer: 'https://shop.example.com/two' },
      { path: '/two', referrer: 'https://shop.example.com/three' },
    ]);
  });

  it('the Navigation API yields a page view for each new URL and leaves history unpatched', async () => {
    const navigation = new EventTarget();
    const page = fakePage({ navigation });
    const { pushState } = page.g.history;
    const client = page.client({ autoTrack: true });
    expect(page.g.history.pushState).toBe(pushState);
    page.g.history.pushState(null, '', '/two');
    page.dispatch(navigation, 'navigatesuccess');
    page.dispatch(navigation, 'navigatesuccess');
    expect(named(await tracked(page, client), 'page.viewed')).toMatchObject([{ path: '/' }, { path: '/two' }]);
  });

  it('closing the client restores the history methods', () => {
    const page = fakePage();
    const { pushState, replaceState } = page.g.history;
    const client = page.client({ autoTrack: true });
    expect(page.g.history.pushState).not.toBe(pushState);
    client.close();
    expect(page.g.history).toEqual({ pushState, replaceState });
  });

  it('a click on a link is tracked, within a shadow tree too, with at most 100 characters of its text', async () => {
    const page = fakePage();
    const client = page.client({ autoTrack: true });
    click(page, { selectors: ['span'] }, link, { selectors: ['nav'] });
    click(page, { ...link, textContent: 'x'.repeat(200) });
    click(page, { selectors: ['button'] });
    expect(named(await tracked(page, client), 'link.clicked')).toEqual([
      { href: 'https://shop.example.com/cart', text: 'Cart' },
      { href: 'https://shop.example.com/cart', text: 'x'.repeat(100) },
    ]);
  });

  it('a click below data-beckon-ignore is not tracked', async () => {
    const page = fakePage();
    const client = page.client({ autoTrack: true });
    const ignored: Part = { selectors: ['[data-beckon-ignore]'] };
    click(page, link, { selectors: ['nav'] }, ignored);
    click(page, { ...link, selectors: ['a[href]', '[data-beckon-ignore]'] });
    click(page, ignored, link);
    expect(named(await tracked(page, client), 'link.clicked')).toEqual([]);
  });

  it('backgrounding is tracked and sent in the beacon of that departure', () => {
    const page = fakePage();
    page.client({ autoTrack: true });
    page.show('hidden');
    expect(page.service.types()).toContain('app.backgrounded');
    page.show('visible');
    page.leave();
    expect(page.service.types()).toContain('app.foregrounded');
  });

  it('a new session begins after exactly 30 minutes without activity', async () => {
    const page = fakePage();
    const client = page.client({ autoTrack: true });
    const act = async (afterMs: number): Promise<number> => {
      await pass(afterMs);
      page.dispatch(page.g.window, 'keydown');
      return named(await tracked(page, client), 'session.started').length;
    };
    expect(await act(30 * 60_000 - 1)).toBe(1);
    expect(await act(30 * 60_000 - 1)).toBe(1);
    expect(await act(30 * 60_000)).toBe(2);
    expect(await act(30 * 60_000)).toBe(3);
  });

  it('the pages of a site share one session', async () => {
    const localStorage = fakeStorage();
    const first = fakePage({ localStorage });
    const one = first.client({ autoTrack: true });
    await pass(20 * 60_000);
    const second = fakePage({ localStorage });
    const two = second.client({ autoTrack: true });
    await pass(20 * 60_000);
    first.dispatch(first.g.window, 'scroll');
    expect(named(await tracked(first, one), 'session.started')).toHaveLength(1);
    expect(named(await tracked(second, two), 'session.started')).toHaveLength(0);
  });

  it('a prerendered page tracks nothing until it is shown', async () => {
    const page = fakePage();
    const document = Object.assign(page.g.document, { prerendering: true });
    const client = page.client({ autoTrack: true });
    client.track('early');
    client.setConsent('granted');
    await pass(60_000);
    page.leave();
    expect([page.service.seen, Object.keys(page.g.localStorage ?? {})]).toEqual([[], []]);
    document.prerendering = false;
    page.dispatch(page.g.window, 'prerenderingchange');
    await client.flush();
    const [early, ...rest] = [...page.service.stored.values()];
    expect(early).toMatchObject({ eventType: 'early', timestamp: '2026-03-01T12:00:00.000Z' });
    for (const eventType of ['session.started', 'page.viewed'])
      expect(rest.filter((event) => event.eventType === eventType)).toMatchObject([
        { timestamp: '2026-03-01T12:01:00.000Z' },
      ]);
    expect(Object.keys(page.g.localStorage ?? {}).length).toBeGreaterThan(0);
  });

  it('a prerendered page tracks nothing if consent is denied before it is shown', async () => {
    const page = fakePage();
    const document = Object.assign(page.g.document, { prerendering: true });
    const client = page.client({ autoTrack: true });
    client.setConsent('denied');
    document.prerendering = false;
    page.dispatch(page.g.window, 'prerenderingchange');
    await client.flush();
    expect([page.service.seen, Object.keys(page.g.localStorage ?? {})]).toEqual([[], []]);
  });
});
