import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePage, fakeStorage, pass, stopTime } from '../test/support/fake-place.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

describe('browser storage', () => {
  it('unsent events are sent by the next page', async () => {
    const localStorage = fakeStorage();
    const first = fakePage({ localStorage });
    first.service.state.isDown = true;
    first.client().track('kept');
    await pass(10_000);
    const second = fakePage({ localStorage });
    second.client();
    await pass(60_000);
    expect(second.service.types()).toEqual(['kept']);
  });

  it.each([
    ['is full', fakeStorage((name) => name.includes(':e:'))],
    ['refuses everything', fakeStorage(() => true)],
    ['is not there', undefined],
  ])('memory is used if the storage %s', async (_, localStorage) => {
    const page = fakePage({ localStorage });
    const client = page.client();
    client.track('one');
    client.track('two');
    await client.flush();
    expect(page.service.types()).toEqual(['one', 'two']);
    await client.flush();
    expect(page.service.seen).toHaveLength(1);
    const [one, two] = [...page.service.stored.values()];
    expect(one?.['anonymousId']).toBe(two?.['anonymousId']);
  });

  it('memory is used if reading the storage throws', async () => {
    const page = fakePage();
    Object.defineProperty(page.g, 'localStorage', {
      get: () => {
        throw new DOMException('no', 'SecurityError');
      },
    });
    const client = page.client();
    client.track('kept');
    await client.flush();
    expect(page.service.types()).toEqual(['kept']);
  });

  it.each(['{"kind":"event","bo', 'null', '7', '{}', '{"kind":"event","body":null}', '"text"'])(
    '%s in the queue costs only that one entry',
    async (garbage) => {
      const localStorage = fakeStorage();
      const first = fakePage({ localStorage });
      first.service.state.isDown = true;
      const client = first.client();
      client.track('broken');
      client.track('kept');
      const [name = ''] = first.kept().sort();
      localStorage.setItem(name, garbage);
      const second = fakePage({ localStorage });
      await second.client().flush();
      expect(second.service.types()).toEqual(['kept']);
      expect(second.kept()).toEqual([]);
    },
  );

  it('the queue has a maximum number of events, and drops the oldest first with a report', async () => {
    const page = fakePage();
    page.online(false);
    const client = page.client({ maxQueue: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) client.track(name);
    expect(page.codes()).toEqual(['queue_full', 'queue_full']);
    page.online(true);
    await pass(0);
    expect(page.service.types()).toEqual(['c', 'd', 'e']);
  });

  it('the queue holds at most 256 KiB', () => {
    const page = fakePage();
    page.online(false);
    const client = page.client();
    for (let n = 0; n < 12; n++) client.track('large', { text: 'x'.repeat(30_000) });
    expect(page.kept()).toHaveLength(8);
    expect(page.codes()).toEqual(Array(4).fill('queue_full'));
  });

  it('the queue holds the newest entry however large it is', async () => {
    const page = fakePage();
    page.online(false);
    const client = page.client();
    client.track('small');
    await client.identify('ada', { story: 'x'.repeat(300_000) });
    expect(page.codes()).toEqual(['queue_full']);
    page.online(true);
    await pass(0);
    expect([...page.service.stored.values()]).toMatchObject([{ userId: 'ada' }]);
  });

  it("storage: 'memory' leaves the browser's storage alone", async () => {
    const localStorage = fakeStorage();
    const page = fakePage({ localStorage });
    const client = page.client({ storage: 'memory' });
    client.track('one');
    await client.flush();
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('values of a site are not mistaken for queue entries', async () => {
    const localStorage = fakeStorage();
    localStorage.setItem('cart', '1');
    const page = fakePage({ localStorage });
    page.client().setConsent('denied');
    expect(Object.keys(localStorage)).toEqual(['cart']);
  });

  it('clients with different keys do not share a queue', async () => {
    const localStorage = fakeStorage();
    const [one, two] = [fakePage({ localStorage }), fakePage({ localStorage })];
    one.client({ apiKey: 'pk_test_one', flushMs: 3_600_000 }).track('of.one');
    const client = two.client({ apiKey: 'pk_test_two' });
    client.track('of.two');
    await client.flush();
    expect(two.service.types()).toEqual(['of.two']);
    expect(one.kept()).toHaveLength(1);
  });
});

describe('consent', () => {
  it('pending consent keeps 100 events in memory, and neither writes nor sends anything', async () => {
    const localStorage = fakeStorage();
    const page = fakePage({ localStorage });
    const client = page.client({ consent: 'pending', autoTrack: true });
    for (let n = 0; n < 110; n++) client.track(`event.${n}`);
    void client.identify('ada');
    page.leave();
    await pass(3_600_000);
    expect(Object.keys(localStorage)).toEqual([]);
    expect(page.service.seen).toEqual([]);
    client.setConsent('granted');
    await pass(0);
    expect(page.service.stored.size).toBe(100);
    expect(Object.keys(localStorage).length).toBeGreaterThan(0);
    for (const item of page.service.stored.values()) expect(item['anonymousId']).toEqual(expect.any(String));
  });

  it('granting consent later keeps the same anonymous user', async () => {
    const localStorage = fakeStorage();
    const first = fakePage({ localStorage });
    first.client().track('before');
    await pass(3_000);
    const second = fakePage({ localStorage });
    const client = second.client({ consent: 'pending' });
    client.track('during');
    client.setConsent('granted');
    client.track('after');
    await client.flush();
    const ids = [...first.service.stored.values(), ...second.service.stored.values()].map(
      (item) => item['anonymousId'],
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('denying consent clears the queue and the ids and drops new events', async () => {
    const localStorage = fakeStorage();
    const page = fakePage({ localStorage });
    const client = page.client();
    client.track('queued');
    client.setConsent('denied');
    expect(Object.keys(localStorage)).toEqual([]);
    client.track('later');
    await client.identify('ada');
    await client.flush();
    expect(page.service.seen).toEqual([]);
    client.setConsent('granted');
    client.track('again');
    await client.flush();
    expect(page.service.types()).toEqual(['again']);
  });

  it('denying consent clears what an earlier visit stored', async () => {
    for (const consent of ['pending', 'denied'] as const) {
      const localStorage = fakeStorage();
      fakePage({ localStorage }).client({ flushMs: 3_600_000 }).track('earlier');
      expect(Object.keys(localStorage).length).toBeGreaterThan(0);
      fakePage({ localStorage }).client({ consent }).setConsent('denied');
      expect(Object.keys(localStorage)).toEqual([]);
    }
  });

  it('denying consent after pending never writes anything', () => {
    const written: string[] = [];
    const page = fakePage({ localStorage: fakeStorage((name) => written.push(name) < 0) });
    const client = page.client({ consent: 'pending' });
    client.track('queued');
    client.setConsent('denied');
    client.setConsent('pending');
    client.track('queued');
    expect(written).toEqual([]);
  });

  it('respectGpc applies the global privacy signal until setConsent is called', async () => {
    const page = fakePage();
    Object.assign(page.g.navigator, { globalPrivacyControl: true });
    const client = page.client({ respectGpc: true });
    client.track('dropped');
    client.setConsent('granted');
    client.track('kept');
    await client.flush();
    expect(page.service.types()).toEqual(['kept']);
    const other = page.client();
    other.track('also.kept');
    await other.flush();
    expect(page.service.types()).toContain('also.kept');
  });
});
