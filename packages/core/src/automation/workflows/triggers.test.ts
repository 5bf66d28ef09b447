import { describe, expect, it } from 'vitest';
import { tablesOf } from '../../app/tables.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { awaitedCache } from './awaited.ts';
import { matches, triggerCache } from './triggers.ts';

const event = (properties: Record<string, unknown> = {}) => ({ eventType: 'order.placed', properties });
const filtered = (filters: Record<string, string>) => ({ eventType: 'order.placed', filters });

describe('matches', () => {
  it('matches compares the event name literally', () => {
    expect(matches({ eventType: 'order.placed' }, event())).toBe(true);
    for (const eventType of ['order.*', 'Order.placed', 'order', '*'])
      expect(matches({ eventType }, event())).toBe(false);
  });

  it('matches compares strings as they are, and numbers and booleans as JSON', () => {
    const properties = { text: 'pro', empty: '', count: 3, ratio: 0.5, huge: 1e21, yes: true, no: false };
    for (const [key, wanted] of Object.entries({
      text: 'pro',
      empty: '',
      count: '3',
      ratio: '0.5',
      huge: '1e+21',
      yes: 'true',
      no: 'false',
    }))
      expect(matches(filtered({ [key]: wanted }), event(properties))).toBe(true);
    expect(matches(filtered({ count: '3.0' }), event(properties))).toBe(false);
    expect(matches(filtered({ text: '"pro"' }), event(properties))).toBe(false);
  });

  it('matches accepts no other values, not even by their JSON', () => {
    const properties = { nothing: null, list: ['a'], object: { a: 1 }, nan: Number.NaN };
    for (const filters of [
      { nothing: 'null' },
      { list: '["a"]' },
      { object: '{"a":1}' },
      { nan: 'null' },
      { nan: 'NaN' },
    ])
      expect(matches(filtered(filters as Record<string, string>), event(properties))).toBe(false);
  });

  it('matches reads own top-level properties only', () => {
    expect(matches(filtered({ 'a.b': 'x' }), event({ a: { b: 'x' } }))).toBe(false);
    expect(matches(filtered({ 'a.b': 'x' }), event({ 'a.b': 'x' }))).toBe(true);
    const inherited = Object.create({ plan: 'pro' });
    expect(matches(filtered({ plan: 'pro' }), event(inherited))).toBe(false);
    expect(matches(filtered({ missing: '' }), event())).toBe(false);
  });

  it('all filters must match', () => {
    const both = filtered({ plan: 'pro', city: 'Ulm' });
    expect(matches(both, event({ plan: 'pro', city: 'Ulm', more: 1 }))).toBe(true);
    expect(matches(both, event({ plan: 'pro' }))).toBe(false);
    expect(matches(filtered({}), event())).toBe(true);
  });

  it('a trigger with an audience does not match without memberships', () => {
    const audienceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect(matches({ eventType: 'order.placed', audienceId }, event())).toBe(false);
  });
});

describe('caches of definitions', () => {
  /** A storage that records for each read whether it was outside the host's transaction. */
  const storageOf = () => {
    const reads: boolean[] = [];
    let isOutside = false;
    const storage: Pick<Storage, 'outsideTransaction' | 'select' | 'wake'> = {
      outsideTransaction: (work) => {
        isOutside = true;
        try {
          return work();
        } finally {
          isOutside = false;
        }
      },
      select: async () => {
        reads.push(isOutside);
        return [];
      },
      wake: { signal: () => undefined, subscribe: () => () => undefined },
    };
    return { reads, storage };
  };

  it.each([
    ['triggers', triggerCache],
    ['awaited events', awaitedCache],
  ])("%s are read outside the host's transaction, because all requests share them", async (_, cacheOf) => {
    const { reads, storage } = storageOf();
    const cache = cacheOf({ storage, tables: tablesOf('sqlite'), clock: virtualClock('2026-03-01T10:00:00.000Z') });
    await cache.load([{ projectKey: 1 }]);
    expect(reads).toEqual([true]);
  });
});
