import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeLocks, fakePage, fakeStorage, pass, stopTime } from '../test/support/fake-place.ts';
import { fakeService } from '../test/support/fake-service.ts';

beforeEach(stopTime);
afterEach(() => void vi.useRealTimers());

const site = () => ({ service: fakeService(), localStorage: fakeStorage(), locks: fakeLocks() });
const typesOf = ({ service }: ReturnType<typeof fakePage>) =>
  service.batches().map((batch) => batch.map(({ eventType }) => eventType));

describe('events that a service asks to be sent again', () => {
  it.each(['OVERLOADED', 'INTERNAL'])(
    'events rejected as %s stay in the queue until the service stores them',
    async (code) => {
      const page = fakePage();
      page.service.reject(({ eventType }) => eventType === 'b' || eventType === 'd', code);
      const client = page.client();
      for (const name of ['a', 'b', 'c', 'd']) client.track(name);
      await expect(client.flush()).rejects.toMatchObject({ status: 503, code });
      expect(page.kept()).toHaveLength(2);
      page.service.reject(() => false);
      await pass(999);
      expect(page.service.seen).toHaveLength(1);
      await pass(1);
      expect(typesOf(page)).toEqual([
        ['a', 'b', 'c', 'd'],
        ['b', 'd'],
      ]);
      expect(page.service.types()).toEqual(['a', 'c', 'b', 'd']);
      expect(page.service.state.duplicates).toBe(0);
      expect(page.kept()).toEqual([]);
      expect(page.errors).toEqual([]);
    },
  );

  it('rejected events are sent again after waits that double up to 60 s, before later events', async () => {
    const page = fakePage();
    page.service.reject(({ eventType }) => eventType === 'held', 'OVERLOADED');
    const client = page.client({ flushMs: 0 });
    client.track('held');
    client.track('first');
    await pass(0);
    for (let n = 0; n < 8; n++) {
      client.track(`later.${n}`);
      await pass(60_000);
    }
    const times = page.service.seen.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);
    expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 60]);
    expect(typesOf(page).every(([first]) => first === 'held')).toBe(true);
    page.service.reject(() => false);
    await pass(60_000);
    expect(page.service.stored.size).toBe(10);
    // A success ends the waits.
    client.track('after');
    await pass(0);
    expect(page.service.types().at(-1)).toBe('after');
    expect(page.service.state.duplicates).toBe(0);
    expect(page.errors).toEqual([]);
  });

  it('rejected events are sent one by one if another event of the batch was rejected for good', async () => {
    const page = fakePage();
    page.service.reject(({ eventType }) => eventType === 'bad');
    const { fetch } = page.service;
    // One event is to be sent again, one is invalid.
    page.g.fetch = async (...given) => {
      const answer = await (await fetch(...given)).json();
      const isFirst = page.service.seen.length === 1;
      if (isFirst) page.service.stored.delete([...page.service.stored.keys()][0] ?? '');
      const held = isFirst ? [{ index: 0, code: 'OVERLOADED', fieldErrors: {} }] : [];
      const data = { ...answer.data, rejected: [...held, ...answer.data.rejected] };
      return new Response(JSON.stringify({ ...answer, data }), { status: 200 });
    };
    const client = page.client();
    for (const name of ['held', 'bad', 'fine']) client.track(name);
    await expect(client.flush()).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(page.errors).toMatchObject([{ code: 'VALIDATION_ERROR', details: { event: { eventType: 'bad' } } }]);
    await pass(1_000);
    expect(page.service.types()).toEqual(['fine', 'held']);
    expect(page.errors).toHaveLength(1);
    expect(page.kept()).toEqual([]);
  });

  it('rejected events are sent by the next page if this one is closed first', async () => {
    const shared = site();
    const first = fakePage(shared);
    shared.service.reject(({ eventType }) => eventType === 'held', 'OVERLOADED');
    const client = first.client();
    client.track('held');
    client.track('fine');
    await expect(client.flush()).rejects.toMatchObject({ code: 'OVERLOADED' });
    client.close();
    shared.service.reject(() => false);
    fakePage(shared).client();
    await pass(0);
    expect(shared.service.types()).toEqual(['fine', 'held']);
    expect(shared.service.state.duplicates).toBe(0);
    expect(first.kept()).toEqual([]);
  });

  it('rejected events of a beacon are sent again although the page gets no response', async () => {
    const shared = site();
    const page = fakePage(shared);
    shared.service.reject(({ eventType }) => eventType === 'held', 'OVERLOADED');
    const client = page.client();
    client.track('held');
    client.track('fine');
    page.leave();
    expect(shared.service.types()).toEqual(['fine']);
    await pass(1_000);
    // The next page gets the response, and waits as after any other.
    const next = fakePage(shared);
    next.client();
    await pass(0);
    expect(next.kept()).toHaveLength(1);
    shared.service.reject(() => false);
    await pass(1_000);
    expect(shared.service.types()).toEqual(['fine', 'held']);
    expect(next.kept()).toEqual([]);
    expect(next.errors).toEqual([]);
  });

  it('rejected events are sent before an identify call that was made after them', async () => {
    const page = fakePage();
    page.service.reject(({ eventType }) => eventType === 'held', 'INTERNAL');
    const client = page.client();
    client.track('held');
    client.track('fine');
    const identified = client.identify('ada', { plan: 'pro' });
    await pass(500);
    page.service.reject(() => false);
    await pass(1_000);
    await identified;
    expect(page.service.seen.map(({ path }) => path)).toEqual(['/events/batch', '/events/batch', '/identify']);
    expect(page.service.stored.size).toBe(3);
    expect(page.errors).toEqual([]);
  });

  it('an event is dropped and reported after 20 consecutive failures of the service', async () => {
    const page = fakePage();
    page.service.reject(({ eventType }) => eventType === 'poison', 'INTERNAL');
    const client = page.client({ flushMs: 0 });
    client.track('poison');
    for (let n = 0; n < 30; n++) {
      client.track('fine');
      await pass(60_000);
    }
    expect(page.codes()).toEqual(['INTERNAL']);
    expect(page.service.stored.size).toBe(30);
    expect(page.kept()).toEqual([]);
    expect(
      page.service.batches().filter((batch) => batch.some(({ eventType }) => eventType === 'poison')),
    ).toHaveLength(21);
  });

  it('no event is lost or stored twice, however often the service rejects some of 2,000', async () => {
    const page = fakePage();
    const client = page.client();
    let seed = 7;
    const isUnlucky = (): boolean => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % 20 === 0;
    };
    page.service.reject(isUnlucky, 'OVERLOADED');
    for (let n = 0; n < 2_000; n++) {
      client.track('counted', { n });
      if (n % 20 === 0) await pass(20_000);
    }
    await pass(3_600_000);
    expect(page.service.stored.size).toBe(2_000);
    expect(page.service.state.duplicates).toBe(0);
    expect(page.errors).toEqual([]);
    expect(page.kept()).toEqual([]);
  });
});
