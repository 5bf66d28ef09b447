import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePage, fakeStorage, pass, stopTime } from '../test/support/fake-place.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

describe('the storage of a browser', () => {
  it('brings what could not be sent to the next page', async () => {
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
  ])('may fail: where it %s, memory serves', async (_, localStorage) => {
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

  it('may be forbidden, so that reading it throws', async () => {
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
    'may hold %s in the queue, which costs nothing but that one entry',
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

  it('holds at most so many events, and drops the oldest first with a word', async () => {
    const page = fakePage();
    page.online(false);
    const client = page.client({ maxQueue: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) client.track(name);
    expect(page.codes()).toEqual(['queue_full', 'queue_full']);
    page.online(true);
    await pass(0);
    expect(page.service.types()).toEqual(['c', 'd', 'e']);
  });

  it('holds at most 256 KiB', () => {
    const page = fakePage();
    page.online(false);
    const client = page.client();
    for (let n = 0; n < 12; n++) client.track('large', { text: 'x'.repeat(30_000) });
    expect(page.kept()).toHaveLength(8);
    expect(page.codes()).toEqual(Array(4).fill('queue_full'));
  });

  it('holds the newest entry however large it is', async () => {
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

  it('is left alone where memory was asked for', async () => {
    const localStorage = fakeStorage();
    const page = fakePage({ localStorage });
    const client = page.client({ storage: 'memory' });
    client.track('one');
    await client.flush();
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('is not mixed up with what a site keeps there itself', async () => {
    const localStorage = fakeStorage();
    localStorage.setItem('cart', '1');
    const page = fakePage({ localStorage });
    page.client().setConsent('denied');
    expect(Object.keys(localStorage)).toEqual(['cart']);
  });

  it('is not mixed up with that of a client of another key', async () => {
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
  it('that is pending keeps 100 events in memory, and neither writes nor sends anything', async () => {
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

  it('that is granted later keeps the person who was here before', async () => {
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

  it('that is denied clears the queue and the ids and drops what comes', async () => {
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

  it('that is denied clears what an earlier visit left, whatever it was before', async () => {
    for (const consent of ['pending', 'denied'] as const) {
      const localStorage = fakeStorage();
      fakePage({ localStorage }).client({ flushMs: 3_600_000 }).track('earlier');
      expect(Object.keys(localStorage).length).toBeGreaterThan(0);
      fakePage({ localStorage }).client({ consent }).setConsent('denied');
      expect(Object.keys(localStorage)).toEqual([]);
    }
  });

  it('that is denied after it was pending writes nothing on the way', () => {
    const written: string[] = [];
    const page = fakePage({ localStorage: fakeStorage((name) => written.push(name) < 0) });
    const client = page.client({ consent: 'pending' });
    client.track('queued');
    client.setConsent('denied');
    client.setConsent('pending');
    client.track('queued');
    expect(written).toEqual([]);
  });

  it('follows a global privacy signal where that was asked for, until somebody says otherwise', async () => {
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
