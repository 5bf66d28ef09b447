import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorld, type Visitor, type World } from '../site.ts';

/** Ends only a test that hangs. */
const SETTLED_WITHIN_MS = 540_000;

let world: World;
let visitor: Visitor;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());
afterEach(async () => {
  await visitor?.context.close();
  world.gate.reset();
  if (!world.service.isUp()) await world.service.start();
});

const arrive = async (path = '/', options: object = {}): Promise<Page> => {
  visitor = await world.visitor();
  await visitor.context.addInitScript((text) => sessionStorage.setItem('options', text), JSON.stringify(options));
  return visitor.open(path);
};

type Stored = { readonly messageId: string | null; readonly eventType: string; readonly anonymousId: string | null };
/** Stored events of this visitor, oldest first. */
const storedOf = async (page: Page): Promise<string[]> => {
  const sent = new Set(await visitor.sent(page));
  // Safe: the rows of this route, as the API describes them.
  const rows = (await world.service.get('/events?limit=200')).data as readonly Stored[];
  const mine = rows.filter(({ messageId }) => messageId !== null && sent.has(messageId));
  return mine.map(({ eventType }) => eventType).toReversed();
};
/** Waits until every tracked event is stored once and the queue is empty. */
const waitUntilStored = async (page: Page): Promise<string[]> => {
  await vi.waitFor(
    async () => {
      await page.evaluate(() => window.beckon.flush());
      expect(await visitor.waiting(page)).toBe(0);
    },
    { timeout: SETTLED_WITHIN_MS, interval: 200 },
  );
  const sent = await visitor.sent(page);
  const stored = await world.service.stored();
  expect(sent.map((id) => stored.get(id))).toEqual(sent.map(() => 1));
  return storedOf(page);
};
const batches = () => world.gate.passed.filter(({ path }) => path.startsWith('/api/v1/events/batch'));

describe('a page in Chromium', () => {
  it('a view, a session and clicks are stored once, from within a shadow tree too', async () => {
    const page = await arrive();
    await page.click('#here');
    await page.click('#shadow #within b');
    await page.click('#ignored');
    const stored = await waitUntilStored(page);
    expect(stored.filter((type) => type === 'link.clicked')).toHaveLength(2);
    expect(stored.filter((type) => type === 'session.started')).toHaveLength(1);
    // Each of the three links leads to a fragment, which is another URL.
    expect(stored.filter((type) => type === 'page.viewed')).toHaveLength(4);
    expect(await page.evaluate(() => window.errors)).toEqual([]);
  });

  it('an application that changes its URL itself has one view per URL', async () => {
    const page = await arrive();
    await page.evaluate(() => {
      history.pushState(null, '', '/two');
      history.replaceState(null, '', '/two');
    });
    await vi.waitFor(async () =>
      expect((await waitUntilStored(page)).filter((type) => type === 'page.viewed')).toHaveLength(2),
    );
  });

  it('events are sent by beacon when the page is left for another', async () => {
    const page = await arrive('/', { flushMs: 60_000 });
    await waitUntilStored(page);
    await page.evaluate(() => window.beckon.track('cart.filled'));
    await page.click('#next');
    await page.waitForURL('**/next');
    await vi.waitFor(() => expect(batches().some(({ isBeacon, status }) => isBeacon && status === 200)).toBe(true));
    const beacon = batches().find(({ isBeacon }) => isBeacon);
    expect(beacon?.path).toBe(`/api/v1/events/batch?key=${world.service.publicKey}`);
    const beacons = batches().filter(({ isBeacon }) => isBeacon);
    const text = beacons.map(({ body }) => body).join();
    for (const type of ['cart.filled', 'link.clicked', 'app.backgrounded']) expect(text).toContain(`"${type}"`);
    expect(await waitUntilStored(page)).toContain('cart.filled');
  });

  it('events are sent by beacon when the tab is closed', async () => {
    const page = await arrive('/', { flushMs: 60_000 });
    const other = await visitor.open('/other');
    // A new tab sends the shared queue, which would contain the event and leave the beacon without it.
    await waitUntilStored(page);
    await page.evaluate(() => window.beckon.track('closed'));
    await page.close({ runBeforeUnload: true });
    await vi.waitFor(() =>
      expect(batches().some(({ isBeacon, body }) => isBeacon && body.includes('closed'))).toBe(true),
    );
    // Only a page that is new, or shown again, repeats what a beacon sent.
    await other.reload();
    expect(await waitUntilStored(other)).toContain('closed');
  });

  it('going offline and online loses and duplicates nothing', async () => {
    const page = await arrive();
    await waitUntilStored(page);
    await visitor.context.setOffline(true);
    await page.evaluate(() => {
      for (let n = 0; n < 30; n++) window.beckon.track('offline', { n });
    });
    world.gate.passed.length = 0;
    await page.waitForTimeout(1_000);
    expect(batches()).toEqual([]);
    await visitor.context.setOffline(false);
    const stored = await waitUntilStored(page);
    expect(stored.filter((type) => type === 'offline')).toHaveLength(30);
  });

  it('two tabs with one queue send each event once', async () => {
    const one = await arrive();
    const two = await visitor.open('/two');
    for (let n = 0; n < 10; n++)
      await Promise.all([one, two].map((page) => page.evaluate(() => window.beckon.track('tabbed'))));
    expect((await waitUntilStored(two)).filter((type) => type === 'tabbed')).toHaveLength(20);
    expect(await visitor.waiting(one)).toBe(0);
  });

  it('a 429 and a 503 are waited out for as long as they say', async () => {
    const page = await arrive();
    await waitUntilStored(page);
    world.gate.refuse({ status: 429, retryAfterSeconds: 2 }, { status: 503, retryAfterSeconds: 1 });
    const start = performance.now();
    await page.evaluate(() => window.beckon.track('patient'));
    await vi.waitFor(async () => expect(await storedOf(page)).toContain('patient'));
    expect(performance.now() - start).toBeGreaterThan(3_000);
    await waitUntilStored(page);
  });

  it('a killed and restarted service loses nothing', async () => {
    const page = await arrive();
    for (let n = 0; n < 60; n++) {
      await page.evaluate((number) => window.beckon.track('steady', { n: number }), n);
      if (n === 20) await world.service.kill();
      if (n === 40) await world.service.start();
    }
    expect((await waitUntilStored(page)).filter((type) => type === 'steady')).toHaveLength(60);
  });

  it('pending consent writes nothing to storage, and granting it sends the queue', async () => {
    const page = await arrive('/', { consent: 'pending' });
    await page.evaluate(() => window.beckon.track('kept'));
    await page.click('#here');
    await page.waitForTimeout(1_000);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    expect(world.gate.passed).toEqual([]);
    await page.evaluate(() => {
      window.beckon.setConsent('granted');
      return window.beckon.flush();
    });
    expect(
      batches()
        .map(({ body }) => body)
        .join(),
    ).toContain('"kept"');
    expect(batches().every(({ status }) => status === 200)).toBe(true);
  });

  it('a page restored from the back-forward cache continues to track', async () => {
    const page = await arrive();
    await waitUntilStored(page);
    await page.click('#next');
    await page.waitForURL('**/next');
    await page.goBack();
    await page.evaluate(() => window.beckon.track('back'));
    expect(await waitUntilStored(page)).toContain('back');
  });

  it('identify creates a profile with the events before it', async () => {
    const page = await arrive();
    await page.evaluate(() => window.beckon.identify('ada', { plan: 'pro' }));
    await waitUntilStored(page);
    expect((await world.service.get('/profiles/ada')).data).toMatchObject({ userId: 'ada', traits: { plan: 'pro' } });
  });
});
