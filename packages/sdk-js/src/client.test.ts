import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLocks, fakePage, fakeServer, fakeStorage, KEY, pass, stopTime } from '../test/support/fake-place.ts';
import { fakeService } from '../test/support/fake-service.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

describe('tracking', () => {
  it('an event is sent in the format of the API, with user ids and its own message id', async () => {
    const page = fakePage();
    const client = page.client();
    client.track('order.paid', { amount: 3 });
    client.track('seen', {}, 'billing');
    await client.flush();
    const [request] = page.service.seen;
    expect(request).toMatchObject({ method: 'POST', path: '/events/batch', key: KEY });
    expect(request?.body.sentAt).toBe('2026-03-01T12:00:00.000Z');
    const [one, two] = request?.body.batch ?? [];
    expect(one).toEqual({
      messageId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
      module: 'analytics',
      eventType: 'order.paid',
      properties: { amount: 3 },
      anonymousId: expect.any(String),
      timestamp: '2026-03-01T12:00:00.000Z',
    });
    expect(two).toMatchObject({ module: 'billing', anonymousId: one?.['anonymousId'] });
  });

  it('events wait 3 s for more, and 20 events are sent at once', async () => {
    const page = fakePage();
    const client = page.client();
    client.track('one');
    await pass(2_999);
    expect(page.service.seen).toHaveLength(0);
    await pass(1);
    expect(page.service.batches().map(({ length }) => length)).toEqual([1]);
    for (let n = 0; n < 20; n++) client.track('many');
    await pass(0);
    expect(page.service.batches().map(({ length }) => length)).toEqual([1, 20]);
  });

  it('the count to 20 restarts after a send', async () => {
    const page = fakePage();
    const client = page.client();
    for (let n = 0; n < 19; n++) client.track('many');
    await pass(3_000);
    client.track('one.more');
    await pass(2_999);
    expect(page.service.batches()).toHaveLength(1);
    await pass(1);
    expect(page.service.batches()).toHaveLength(2);
  });

  it('events are sent in order, one request at a time', async () => {
    const page = fakePage();
    const client = page.client();
    for (let n = 0; n < 250; n++) client.track(`event.${n}`);
    await client.flush();
    expect(page.service.batches().map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(page.service.types()).toEqual(Array.from({ length: 250 }, (_, n) => `event.${n}`));
    expect(page.service.state.mostInFlight).toBe(1);
  });

  it('beforeSend may change or drop an event, and an event for which it throws is dropped', async () => {
    const page = fakePage();
    const client = page.client({
      beforeSend: (event) => {
        if (event.eventType === 'bad') throw new Error('bug');
        return event.eventType === 'dropped' ? null : { ...event, properties: { changed: true } };
      },
    });
    for (const name of ['kept', 'dropped', 'bad']) client.track(name, { url: '/?secret' });
    await client.flush();
    expect([...page.service.stored.values()]).toMatchObject([{ eventType: 'kept', properties: { changed: true } }]);
    expect(page.codes()).toEqual(['invalid_event']);
  });

  it('the client reports what the service would reject in an event, and sends it nevertheless', async () => {
    const page = fakePage();
    const client = page.client();
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, n]));
    client.track('wide', many);
    client.track('long', { list: Array(1_001).fill(0) });
    client.track('roomy', {}, 'm'.repeat(65));
    await client.flush();
    expect(page.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('100 properties'),
      expect.stringContaining('"list"'),
      expect.stringContaining('64 characters'),
    ]);
    expect(page.service.stored.size).toBe(3);
  });

  it('an event of more than 32,000 bytes is dropped, however few characters it has', async () => {
    const page = fakePage();
    const client = page.client();
    client.track('large', { text: '€'.repeat(10_600) });
    client.track('fits', { text: '€'.repeat(10_500) });
    await client.flush();
    expect(page.codes()).toEqual(['event_too_large']);
    expect(page.service.types()).toEqual(['fits']);
  });

  it('a batch is at most 60 KiB, counted in bytes', async () => {
    const page = fakePage();
    const client = page.client({ flushAt: 1_000 });
    for (let n = 0; n < 40; n++) client.track('wide', { text: '🙂'.repeat(1_000) });
    await client.flush();
    expect(page.service.stored.size).toBe(40);
    const sizes = page.service.seen.map(({ bytes }) => bytes);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(61_440);
    // Full but for less than one event.
    expect(Math.max(...sizes)).toBeGreaterThan(61_440 - 4_400);
  });

  it('new events are sent at once when they reach 60 KiB', async () => {
    const page = fakePage();
    const client = page.client();
    for (let n = 0; n < 3; n++) client.track('large', { text: 'x'.repeat(25_000) });
    await pass(0);
    expect(page.service.stored.size).toBe(3);
  });
});

describe('identify', () => {
  it('identify is sent after earlier events, and later events carry its user id', async () => {
    const page = fakePage();
    const client = page.client();
    client.track('before');
    const done = client.identify('ada', { plan: 'pro' });
    client.track('after');
    await pass(0);
    await done;
    expect(page.service.seen.map(({ path }) => path)).toEqual(['/events/batch', '/identify', '/events/batch']);
    const [before, identify, after] = [...page.service.stored.values()];
    expect(before).not.toHaveProperty('userId');
    expect(identify).toMatchObject({ userId: 'ada', traits: { plan: 'pro' }, anonymousId: before?.['anonymousId'] });
    expect(identify).toHaveProperty('sentAt');
    expect(after).toMatchObject({ userId: 'ada' });
  });

  it('the user id is kept for the next page; reset forgets it and creates a new anonymous id', async () => {
    const localStorage = fakeStorage();
    const first = fakePage({ localStorage });
    void first.client().identify('ada');
    await pass(0);
    const second = fakePage({ localStorage });
    const client = second.client();
    client.track('again');
    await client.reset();
    client.track('fresh');
    await client.flush();
    const [again, fresh] = [...second.service.stored.values()];
    expect(again).toMatchObject({ userId: 'ada' });
    expect(fresh).not.toHaveProperty('userId');
    expect(fresh?.['anonymousId']).not.toBe(again?.['anonymousId']);
  });

  it('identify resolves at once while the browser is offline, and is sent later', async () => {
    const page = fakePage();
    const client = page.client();
    page.online(false);
    await client.identify('ada');
    await pass(60_000);
    expect(page.service.seen).toHaveLength(0);
    page.online(true);
    await pass(0);
    expect(page.service.seen.map(({ path }) => path)).toEqual(['/identify']);
  });

  it('identify ignores a placeholder user id, and a development build warns', async () => {
    const page = fakePage();
    const client = page.client();
    void client.identify('ada');
    await pass(0);
    // What a program without types passes.
    const missing = [undefined, null].map((nothing) => nothing as unknown as string);
    const bad = [...missing, '', ' ', '\t', 'undefined', 'NULL', ' NaN ', '[object Object]', '0', 'guest'];
    for (const userId of bad) await client.identify(userId, { plan: 'pro' });
    client.track('after');
    await client.flush();
    expect(page.service.seen.map(({ path }) => path)).toEqual(['/identify', '/events/batch']);
    expect([...page.service.stored.values()].at(-1)).toMatchObject({ eventType: 'after', userId: 'ada' });
    expect(page.warnings).toHaveLength(bad.length);
    expect(page.warnings[0]).toBe('Beckon: identify got undefined, which is not the id of a user. Nothing is sent.');
  });

  it('a production build ignores a placeholder user id', async () => {
    vi.stubGlobal('BECKON_PRODUCTION', true);
    try {
      const page = fakePage();
      const client = page.client();
      // What a program without types passes.
      const missing = [undefined, null].map((nothing) => nothing as unknown as string);
      for (const userId of [...missing, '', 'undefined', 'null']) await client.identify(userId);
      client.track('after');
      await client.flush();
      expect(page.service.seen.map(({ path }) => path)).toEqual(['/events/batch']);
      expect([...page.service.stored.values()][0]).not.toHaveProperty('userId');
      expect(page.warnings).toEqual([]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('identify rejects and calls onError if the service rejects it', async () => {
    const page = fakePage();
    page.service.refuse({ status: 400, code: 'VALIDATION_ERROR', details: { fieldErrors: { userId: ['long'] } } });
    const failed = expect(page.client().identify('x')).rejects.toMatchObject({ status: 400, requestId: 'request-1' });
    await pass(0);
    await failed;
    expect(page.codes()).toEqual(['VALIDATION_ERROR']);
    expect(page.kept()).toEqual([]);
  });

  it('identify rejects and calls onError after three failed retries, and is dropped', async () => {
    const page = fakePage();
    const client = page.client();
    page.service.refuse(...Array(4).fill({ status: 503, code: 'OVERLOADED' }));
    const failed = expect(client.identify('ada')).rejects.toMatchObject({ status: 503 });
    client.track('behind');
    await pass(7_000);
    await failed;
    expect([page.codes(), page.kept().length]).toEqual([['OVERLOADED'], 1]);
    await pass(600_000);
    expect(page.service.seen.map(({ path }) => path)).toEqual([...Array(4).fill('/identify'), '/events/batch']);
    expect(page.service.types()).toEqual(['behind']);
  });

  it('identify resolves after three retries without a network, and is sent when there is one', async () => {
    const page = fakePage();
    page.service.state.isDown = true;
    let isResolved = false;
    const done = page
      .client()
      .identify('ada')
      .then(() => {
        isResolved = true;
      });
    await pass(6_999);
    expect(isResolved).toBe(false);
    await pass(1);
    await done;
    expect([page.codes(), page.kept().length]).toEqual([[], 1]);
    page.service.state.isDown = false;
    await pass(60_000);
    expect(page.service.stored.size).toBe(1);
    expect(page.kept()).toEqual([]);
  });

  it('identify rejects if the quota is used up, whether that was known before or not', async () => {
    const page = fakePage();
    const client = page.client();
    page.service.refuse({ status: 429, code: 'RATE_LIMITED', details: { reason: 'quota' } });
    for (const userId of ['ada', 'eve']) {
      const failed = expect(client.identify(userId)).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      await pass(0);
      await failed;
      expect(page.kept()).toEqual([]);
    }
    expect(page.service.seen).toHaveLength(1);
  });

  it('identify resolves if another page of the site sent it', async () => {
    const site = { service: fakeService(), localStorage: fakeStorage(), locks: fakeLocks() };
    const [one, two] = [fakePage(site), fakePage(site)];
    let release = (): void => {};
    site.service.state.hangs = new Promise((done) => {
      release = done;
    });
    one.client({ flushMs: 0 }).track('first');
    await pass(0);
    const done = two.client().identify('ada');
    await pass(0);
    release();
    await pass(0);
    await done;
    expect(site.service.seen.map(({ path }) => path)).toEqual(['/events/batch', '/identify']);
  });
});

describe('environment of the client', () => {
  it('a secret key is rejected in a browser and accepted on a server', () => {
    expect(() => fakePage().client({ apiKey: 'sk_prod_x' })).toThrow(TypeError);
    expect(() => fakeServer(fakeService())({ apiKey: 'sk_prod_x' })).not.toThrow();
  });

  it('the client tracks on a server too, and stores nothing', async () => {
    const service = fakeService();
    const client = fakeServer(service)();
    client.track('rendered');
    client.page();
    await client.flush();
    expect(service.types()).toEqual(['rendered', 'page.viewed']);
  });

  it('a closed client sends nothing', async () => {
    const page = fakePage({ locks: fakeLocks() });
    const client = page.client({ autoTrack: true });
    client.close();
    page.show('hidden');
    page.online(true);
    await pass(60_000);
    expect(page.service.seen).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
