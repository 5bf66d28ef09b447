import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { type AgedCacheOptions, agedCache } from './aged-cache.ts';

/** A cache of numbers, each 100 times how many reads there were, over reads that end when they are told to. */
const opened = (over: Partial<AgedCacheOptions<string, string>> = {}) => {
  const clock = virtualClock('2026-11-20T10:00:00.000Z');
  const reads: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const cache = agedCache<string, string>({
    nameOf: (key) => key.toLowerCase(),
    read: (keys) => {
      const at = reads.push([...keys]);
      return new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve((key) => `${key}${at}`) : reject(error)));
      });
    },
    clock,
    maxAgeMs: 1_000,
    maxEntries: 3,
    ...over,
  });
  const end = (at: number, error?: Error): void => ends[at]?.(error);
  /** The value of a key, whose read, if there is one, ends at once. */
  const value = async (key: string): Promise<string> => {
    const found = cache.get(key);
    end(reads.length - 1);
    return found;
  };
  return { clock, cache, reads, end, value };
};

describe('agedCache', () => {
  it('gives what it read until that is too old', async () => {
    const { clock, value } = opened();
    expect(await value('a')).toBe('a1');
    clock.advance(999);
    expect(await value('a')).toBe('a1');
    clock.advance(1);
    expect(await value('a')).toBe('a2');
  });

  it('counts the age from when a read began', async () => {
    const { clock, cache, end, value } = opened();
    const slow = cache.get('a');
    clock.advance(999);
    end(0);
    expect(await slow).toBe('a1');
    clock.advance(1);
    expect(await value('a')).toBe('a2');
  });

  it('reads again after the clock was set back', async () => {
    const { clock, value } = opened();
    await value('a');
    clock.advance(-1);
    expect(await value('a')).toBe('a2');
  });

  it('shares a read that is under way, whether one or several keys are asked for', async () => {
    const { cache, reads, end } = opened();
    const both = cache.load(['a', 'b']);
    const one = cache.get('a');
    const again = cache.load(['b']);
    end(0);
    expect([(await both)('a'), await one, (await again)('b')]).toEqual(['a1', 'a1', 'b1']);
    expect(reads).toEqual([['a', 'b']]);
  });

  it('reads all keys that are not fresh at once, and each of them once', async () => {
    const { cache, reads, end, value } = opened();
    await value('a');
    const found = cache.load(['a', 'b', 'B', 'c', 'b']);
    end(1);
    const valueFor = await found;
    expect([valueFor('a'), valueFor('b'), valueFor('c')]).toEqual(['a1', 'b2', 'c2']);
    expect(reads).toEqual([['a'], ['b', 'c']]);
  });

  it('reads nothing while every key is fresh', async () => {
    const { cache, reads, value } = opened();
    await value('a');
    expect((await cache.load(['a', 'A']))('a')).toBe('a1');
    expect(reads).toHaveLength(1);
  });

  it('reads what is urgent although it is fresh, and remembers it', async () => {
    const { cache, reads, end, value } = opened();
    await value('a');
    await value('b');
    const found = cache.load(['a', 'b'], (key) => key === 'a');
    end(2);
    const valueFor = await found;
    expect([valueFor('a'), valueFor('b'), await value('a')]).toEqual(['a3', 'b2', 'a3']);
    expect(reads[2]).toEqual(['a']);
  });

  it.each([
    ['one key', 'forget'],
    ['all', 'clear'],
  ] as const)(
    'gives a read that was overtaken by forgetting %s to those who waited and to nobody else',
    async (_, how) => {
      const { cache, end, value } = opened();
      const waited = cache.get('a');
      cache[how]('a');
      const next = value('a');
      expect(await next).toBe('a2');
      end(0);
      expect([await waited, await value('a')]).toEqual(['a1', 'a2']);
    },
  );

  it('forgets one key and no other', async () => {
    const { cache, value } = opened();
    await value('a');
    await value('b');
    cache.forget('A');
    expect([await value('a'), await value('b')]).toEqual(['a3', 'b2']);
  });

  it('fails all who wait for a read that fails, and reads again for the next', async () => {
    const { cache, end, value } = opened();
    const waiting = [cache.get('a'), cache.load(['a', 'b'])];
    end(0, new Error('out of reach'));
    end(1, new Error('away'));
    expect(await Promise.allSettled(waiting)).toEqual([
      { status: 'rejected', reason: new Error('out of reach') },
      { status: 'rejected', reason: expect.any(Error) },
    ]);
    expect([await value('a'), await value('b')]).toEqual(['a3', 'b4']);
  });

  it('does not lose a newer answer to an older read that fails', async () => {
    const { cache, end, value } = opened();
    const failing = cache.get('a');
    cache.clear();
    expect(await value('a')).toBe('a2');
    end(0, new Error('out of reach'));
    await expect(failing).rejects.toThrow('out of reach');
    expect(await value('a')).toBe('a2');
  });

  it('holds no more than it may: what was unused for longest is read again', async () => {
    const { value } = opened();
    for (const key of ['a', 'b', 'c']) await value(key);
    expect(await value('a')).toBe('a1');
    await value('d');
    expect([await value('a'), await value('c'), await value('d'), await value('b')]).toEqual(['a1', 'c3', 'd4', 'b5']);
  });

  it('answers for more keys than it may hold', async () => {
    const { cache, end } = opened({ maxEntries: 1 });
    const found = cache.load(['a', 'b', 'c']);
    end(0);
    const valueFor = await found;
    expect(['a', 'b', 'c'].map(valueFor)).toEqual(['a1', 'b1', 'c1']);
  });

  it('refuses to answer for a key that was not asked for', async () => {
    const { cache, end } = opened();
    const found = cache.load(['a']);
    end(0);
    const valueFor = await found;
    expect(() => valueFor('b')).toThrow(new TypeError('this key was not asked for'));
  });

  it('remembers that there is nothing', async () => {
    let reads = 0;
    const nothing = opened({
      read: async () => {
        reads += 1;
        return () => '';
      },
    });
    expect([await nothing.cache.get('a'), await nothing.cache.get('a'), reads]).toEqual(['', '', 1]);
  });
});
