import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLocks, fakePage, fakeStorage, KEY, pass, stopTime } from '../test/support/fake-place.ts';
import { fakeService } from '../test/support/fake-service.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

const site = () => ({ service: fakeService(), localStorage: fakeStorage(), locks: fakeLocks() });

describe('leaving a page', () => {
  it('sends what is queued by a beacon, whose key is in the query, and the next page repeats it harmlessly', async () => {
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

  it('loses nothing when the service refuses the beacon, of which the page hears nothing', async () => {
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

  it('halves what the browser takes no beacon of, and sends the rest with keepalive and the header', async () => {
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

  it('takes several beacons for more than one batch', () => {
    const page = fakePage();
    const client = page.client({ flushAt: 1_000 });
    for (let n = 0; n < 30; n++) client.track('wide', { text: 'x'.repeat(4_000) });
    page.leave();
    expect(page.service.stored.size).toBe(30);
    expect(Math.max(...page.service.seen.map(({ bytes }) => bytes))).toBeLessThanOrEqual(61_440);
  });

  it('holds back what went by beacon until the page is seen again', async () => {
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

  it('leaves what another page queued to that page', () => {
    const shared = site();
    const [one, two] = [fakePage(shared), fakePage(shared)];
    one.client().track('of.one');
    two.client().track('of.two');
    two.leave();
    expect(shared.service.types()).toEqual(['of.two']);
  });

  it('forgets after 72 h what a beacon took, since it could be taken twice then', async () => {
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

  it('sends again what a beacon took when the clock has been set back since', async () => {
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

  it('sends who somebody is in the ordinary way, which may outlive the page', async () => {
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
