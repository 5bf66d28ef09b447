import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLocks, fakePage, fakeStorage, pass, stopTime } from '../test/support/fake-place.ts';
import { fakeService, type Refusal } from '../test/support/fake-service.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

const busy: Refusal = { status: 503, code: 'OVERLOADED' };
const limited: Refusal = { status: 429, code: 'RATE_LIMITED' };

describe('an unreachable service', () => {
  it('requests are retried after 1, 2, 4 and at last every 60 s, until the service responds', async () => {
    const page = fakePage();
    page.service.state.isDown = true;
    page.client({ flushMs: 0 }).track('kept');
    await pass(0);
    await pass(200_000);
    const times = page.service.seen.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    page.service.state.isDown = false;
    await pass(60_000);
    expect(page.service.types()).toEqual(['kept']);
    expect(page.codes()).toEqual([]);
    await pass(600_000);
    expect(page.service.batches()).toHaveLength(times.length + 1);
  });

  it.each([
    ['longer than the wait', { ...limited, headers: { 'retry-after': '30' } }, 30_000],
    ['longer, in the details', { ...limited, code: 'RATE_LIMIT', details: { retryAfterSeconds: 9 } }, 9_000],
    ['shorter than the wait', { ...busy, headers: { 'retry-after': '0' } }, 1_000],
    ['nothing', { status: 408 }, 1_000],
    ['while another call runs', { status: 409, details: { reason: 'idempotency_in_progress' } }, 1_000],
  ])('a retry waits at least as long as the service asks: %s', async (_, refusal, expected) => {
    const page = fakePage();
    page.service.refuse(refusal);
    page.client({ flushMs: 0 }).track('kept');
    await pass(0);
    await pass(expected - 1);
    expect(page.service.seen).toHaveLength(1);
    await pass(1);
    expect(page.service.types()).toEqual(['kept']);
  });

  it('tracking more events does not shorten a wait, and flush rejects with the reason', async () => {
    const page = fakePage();
    const client = page.client({ flushMs: 0 });
    page.service.refuse({ ...busy, headers: { 'retry-after': '60' } });
    client.track('one');
    await pass(0);
    for (let n = 0; n < 50; n++) client.track('more');
    await expect(client.flush()).rejects.toMatchObject({ status: 503 });
    await pass(59_999);
    expect(page.service.seen).toHaveLength(1);
    await pass(1);
    expect(page.service.stored.size).toBe(51);
  });

  it('none of 10,000 events is lost or stored twice while the service is killed and restarted repeatedly', async () => {
    const page = fakePage();
    const client = page.client();
    for (let n = 0; n < 10_000; n++) {
      client.track('counted', { n });
      if (n % 500 === 250) page.service.refuse('down', busy);
      if (n % 100 === 0) await pass(3_000);
    }
    await pass(600_000);
    expect(page.service.stored.size).toBe(10_000);
    expect(page.errors).toEqual([]);
  });

  it('nothing is sent while the browser reports offline', async () => {
    const page = fakePage();
    page.online(false);
    const client = page.client();
    client.track('kept');
    await expect(client.flush()).rejects.toMatchObject({ status: 0, code: 'network' });
    await pass(120_000);
    expect(page.service.seen).toHaveLength(0);
    page.online(true);
    await pass(0);
    expect(page.service.types()).toEqual(['kept']);
  });
});

describe('responses to a batch', () => {
  it('rejected events are reported and never sent again', async () => {
    const page = fakePage();
    page.service.reject(({ eventType }) => eventType === 'bad');
    const client = page.client();
    for (const name of ['one', 'bad', 'two']) client.track(name);
    await client.flush();
    await pass(600_000);
    expect(page.service.types()).toEqual(['one', 'two']);
    expect(page.service.seen).toHaveLength(1);
    expect(page.errors).toMatchObject([
      { code: 'VALIDATION_ERROR', details: { fieldErrors: { eventType: ['No.'] }, event: { eventType: 'bad' } } },
    ]);
  });

  it('a truncated response is requested again', async () => {
    const page = fakePage();
    const { fetch } = page.service;
    let isCut = true;
    page.g.fetch = async (...given) => {
      const response = await fetch(...given);
      if (!isCut) return response;
      isCut = false;
      return new Response('{"succ', { status: 200 });
    };
    page.client({ flushMs: 0 }).track('kept');
    await pass(2_000);
    expect(page.service.stored.size).toBe(1);
    expect(page.service.state.duplicates).toBe(1);
    expect(page.kept()).toEqual([]);
  });

  it.each([400, 401, 402, 403, 404, 412, 422])('a response of %i drops the batch and reports it', async (status) => {
    const page = fakePage();
    page.service.refuse({ status, code: 'NO' });
    const client = page.client();
    client.track('refused');
    await client.flush();
    expect(page.errors).toMatchObject([{ status, code: 'NO', requestId: 'request-1' }]);
    expect(page.kept()).toEqual([]);
  });

  it('the SDK treats 409 duplicate as success, other 409s as errors', async () => {
    const page = fakePage();
    page.service.refuse(
      { status: 409, details: { reason: 'duplicate' } },
      { status: 409, details: { reason: 'final' } },
    );
    const client = page.client();
    client.track('one');
    await client.flush();
    expect(page.errors).toEqual([]);
    client.track('two');
    await client.flush();
    expect(page.errors).toMatchObject([{ status: 409 }]);
    expect(page.kept()).toEqual([]);
  });

  it('a 413 halves the batch once, and then drops what is still too large', async () => {
    const page = fakePage();
    const tooLarge: Refusal = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
    page.service.refuse(tooLarge, tooLarge);
    const client = page.client();
    for (const name of ['a', 'b', 'c', 'd']) client.track(name);
    await client.flush();
    expect(page.service.batches().map((batch) => batch.map(({ eventType }) => eventType))).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(page.service.types()).toEqual(['c', 'd']);
    expect(page.codes()).toEqual(['PAYLOAD_TOO_LARGE']);
  });
});

describe('event quota', () => {
  const quota: Refusal = {
    status: 429,
    code: 'RATE_LIMITED',
    details: { reason: 'quota' },
    headers: { 'retry-after': '2592000' },
  };

  it('a used-up quota is reported once, drops auto-tracked events, and is checked again hourly', async () => {
    const page = fakePage();
    page.service.refuse(quota, quota);
    const client = page.client({ autoTrack: true });
    client.track('bought');
    await pass(3_000);
    await pass(3_599_999);
    expect(page.service.seen).toHaveLength(1);
    page.show('visible');
    client.track('bought.more');
    await pass(1);
    expect(page.service.seen).toHaveLength(2);
    expect(page.codes()).toEqual(['RATE_LIMITED']);
    await pass(3_600_000);
    expect(page.service.types()).toEqual(['bought', 'bought.more']);
  });

  it('a used-up quota is remembered by the next page, unless the stored end is more than an hour away', async () => {
    const localStorage = fakeStorage();
    const first = fakePage({ localStorage });
    first.service.refuse(quota);
    first.client({ flushMs: 0 }).track('bought');
    await pass(0);
    const second = fakePage({ localStorage });
    second.client();
    await pass(60_000);
    expect(second.service.seen).toHaveLength(0);
    vi.setSystemTime(new Date('2026-02-27T12:00:00Z'));
    const third = fakePage({ localStorage });
    third.client();
    await pass(0);
    expect(third.service.types()).toEqual(['bought']);
  });
});

describe('flush', () => {
  it('flush waits for events queued before it, even at the end of a running flush', async () => {
    for (let ticks = 0; ticks < 60; ticks++) {
      const page = fakePage();
      const client = page.client();
      client.track('first');
      const run = client.flush();
      for (let n = 0; n < ticks; n++) await Promise.resolve();
      client.track('late');
      await client.flush();
      expect([ticks, page.service.types()]).toEqual([ticks, ['first', 'late']]);
      await run;
    }
  });

  it('closing the client ends flush after the current batch', async () => {
    const page = fakePage();
    const client = page.client();
    for (let n = 0; n < 250; n++) client.track('many');
    let release = (): void => {};
    page.service.state.hangs = new Promise((done) => {
      release = done;
    });
    const run = client.flush();
    await pass(0);
    client.close();
    release();
    await run;
    expect(page.service.batches().map(({ length }) => length)).toEqual([100]);
    expect(page.kept()).toHaveLength(150);
  });
});

describe('two pages of one site', () => {
  const site = (locks: LockManager | undefined) => {
    const shared = { service: fakeService(), localStorage: fakeStorage(), locks };
    return { ...shared, pages: [fakePage(shared), fakePage(shared)] as const };
  };

  it('two pages of one site send each event once', async () => {
    const { service, pages } = site(fakeLocks());
    const clients = pages.map((page) => page.client());
    for (let n = 0; n < 300; n++) {
      clients[n % 2]?.track(`event.${n}`);
      if (n % 40 === 0) await pass(1_700);
    }
    await Promise.all(clients.map((client) => client.flush()));
    expect(service.stored.size).toBe(300);
    expect(service.state.duplicates).toBe(0);
    expect(service.state.mostInFlight).toBe(1);
  });

  it("without Web Locks a page takes over another page's events after a minute", async () => {
    const { service, pages } = site(undefined);
    const [one, two] = pages;
    one.client({ flushMs: 3_600_000 }).track('left');
    const other = two.client();
    await other.flush();
    expect(service.seen).toHaveLength(0);
    await pass(60_001);
    await other.flush();
    expect(service.types()).toEqual(['left']);
  });

  it('events are sent without a lock if the browser refuses one', async () => {
    const refusing = { request: () => Promise.reject(new DOMException('no', 'SecurityError')) };
    const { service, pages } = site(refusing as unknown as LockManager);
    const client = pages[0].client();
    client.track('kept');
    await client.flush();
    expect(service.types()).toEqual(['kept']);
  });
});

describe('direct calls', () => {
  it('a direct call is retried three times after 500, 502 and 503, and then rejects', async () => {
    for (const status of [500, 502, 503]) {
      const page = fakePage();
      page.service.refuse(...Array(4).fill({ status }));
      const failed = expect(page.client().call('GET', '/push/web-config')).rejects.toMatchObject({ status });
      await pass(10_000);
      await failed;
      expect(page.service.seen).toHaveLength(4);
    }
  });

  it("a direct call resolves with the service's data, and rejects other errors at once", async () => {
    const page = fakePage();
    page.service.answers.set('GET /push/web-config', { vapidPublicKey: 'abc' });
    const client = page.client();
    expect(await client.call('GET', '/push/web-config')).toEqual({ vapidPublicKey: 'abc' });
    page.service.refuse({ status: 412, code: 'PROVIDER_NOT_CONFIGURED' });
    await expect(client.call('GET', '/push/web-config')).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    page.service.refuse('down');
    await expect(client.trackOpen('send-1', 'body', 'message-1')).rejects.toMatchObject({ status: 0 });
  });

  it('opens and receipts are reported with both ids', async () => {
    const page = fakePage();
    const client = page.client();
    await client.trackOpen('send-1', 'buy', 'message-1');
    await client.trackDelivered('send-1', 'message-1');
    expect(page.service.seen.map(({ path, body }) => [path, body])).toEqual([
      ['/push/track-open', { sendId: 'send-1', clickAction: 'buy', messageId: 'message-1' }],
      ['/push/track-delivered', { sendId: 'send-1', messageId: 'message-1' }],
    ]);
  });
});
