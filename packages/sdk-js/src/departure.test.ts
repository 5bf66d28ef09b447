import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLocks, fakePage, fakeStorage, KEY, pass, stopTime } from '../test/support/fake-place.ts';
import { fakeService } from '../test/support/fake-service.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

const site = () => ({ service: fakeService(), localStorage: fakeStorage(), locks: fakeLocks() });

describe('leaving a page', () => {
  it('leaving a page sends the queue by beacon with the key in the query, and the next page repeats it harmlessly', async () => {
    const shared = site();
    const page = fakePage(shared);
    page.client().track('last');
    page.leave();
    const [beacon] = shared.service.seen;
    expect(beacon).toMatchObject({ path: '/events/batch', key: KEY, keepalive: true });
    expect(shared.service.types()).toEqual(['last']);
    expect(page.kept()).toHaveLength(1);
    await pass(1_000);
    fakePage(shared).client();
    await pass(0);
    expect(shared.service.state.duplicates).toBe(1);
    expect(page.kept()).toHaveLength(0);
  });

  it('events in a beacon that the service rejects are sent again', async () => {
    const shared = site();
    shared.service.refuse({ status: 503 });
    const page = fakePage(shared);
    page.client().track('last');
    page.leave();
    expect(shared.service.stored.size).toBe(0);
    await pass(1_000);
    fakePage(shared).client();
    await pass(0);
    expect(shared.service.types()).toEqual(['last']);
  });

  it('events that the browser accepts no beacon for are halved, and the rest is sent with keepalive and the header', async () => {
    const page = fakePage();
    const client = page.client();
    for (const name of ['a', 'b', 'c', 'd']) client.track(name);
    page.state.takesBeacon = (text) => text.includes('"a"') && !text.includes('"c"');
    page.leave();
    await pass(0);
    const sent = page.service.seen.map(({ body, keepalive }) => [
      body.batch?.map(({ eventType }) => eventType),
      keepalive,
    ]);
    expect(sent).toEqual([
      [['a', 'b'], true],
      [['c', 'd'], true],
    ]);
    expect(page.service.stored.size).toBe(4);
  });

  it('several batches are sent as several beacons', () => {
    const page = fakePage();
    const client = page.client({ flushAt: 1_000 });
    for (let n = 0; n < 30; n++) client.track('wide', { text: 'x'.repeat(4_000) });
    page.leave();
    expect(page.service.stored.size).toBe(30);
    expect(Math.max(...page.service.seen.map(({ bytes }) => bytes))).toBeLessThanOrEqual(61_440);
  });

  it('events sent by beacon are not sent again until the page is shown again', async () => {
    const page = fakePage(site());
    const client = page.client();
    client.track('hidden');
    page.show('hidden');
    await pass(60_000);
    expect(page.service.seen).toHaveLength(1);
    page.show('visible');
    await pass(0);
    expect(page.service.seen).toHaveLength(2);
    expect(page.kept()).toEqual([]);
  });

  it("a leaving page does not send another page's events", () => {
    const shared = site();
    const [one, two] = [fakePage(shared), fakePage(shared)];
    one.client().track('of.one');
    two.client().track('of.two');
    two.leave();
    expect(shared.service.types()).toEqual(['of.two']);
  });

  it('events sent by beacon are dropped after 72 h, when the service no longer detects duplicates', async () => {
    const shared = site();
    const page = fakePage(shared);
    page.client().track('last');
    page.leave();
    vi.setSystemTime(Date.now() + 72 * 3_600_000 + 1);
    fakePage(shared).client();
    await pass(0);
    expect(shared.service.state.duplicates).toBe(0);
    expect(page.kept()).toEqual([]);
  });

  it('events sent by beacon are sent again after the clock was set back', async () => {
    const shared = site();
    shared.service.refuse({ status: 503 });
    const page = fakePage(shared);
    page.client().track('last');
    page.leave();
    vi.setSystemTime(Date.now() - 7_200_000);
    fakePage(shared).client();
    await pass(0);
    expect(shared.service.types()).toEqual(['last']);
  });

  it('identify is sent without a beacon, in a request that outlives the page', async () => {
    const page = fakePage();
    const client = page.client();
    page.online(false);
    void client.identify('ada');
    page.g.navigator.onLine = true;
    page.leave();
    await pass(0);
    expect(page.service.seen).toMatchObject([{ path: '/identify', keepalive: true }]);
  });
});
