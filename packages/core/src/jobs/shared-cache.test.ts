import { describe, expect, it } from 'vitest';
import type { BulkSelect } from '../database/statements/bulk.ts';
import type { Storage } from '../database/storage.ts';
import { localWake } from '../database/wake.ts';
import { virtualClock } from '../foundation/clock.ts';
import { readByScope, type SharedCacheOptions, sharedCache } from './shared-cache.ts';

/** A cache of texts, each its key and the number of its read. Reads end when the test calls `end`. */
const opened = (over: Partial<SharedCacheOptions<string, string>> = {}) => {
  const clock = virtualClock('2026-11-20T10:00:00.000Z');
  const reads: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const wake = localWake();
  const cache = sharedCache<string, string>({
    storage: { outsideTransaction: (work) => work(), wake },
    topic: 'texts',
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
  return { clock, cache, reads, end, value, wake };
};

describe('sharedCache', () => {
  it('a shared cache returns a cached value until its maximum age', async () => {
    const { clock, value } = opened();
    expect(await value('a')).toBe('a1');
    clock.advance(999);
    expect(await value('a')).toBe('a1');
    clock.advance(1);
    expect(await value('a')).toBe('a2');
  });

  it('a shared cache counts the age of a value from the beginning of its read', async () => {
    const { clock, cache, end, value } = opened();
    const slow = cache.get('a');
    clock.advance(999);
    end(0);
    expect(await slow).toBe('a1');
    clock.advance(1);
    expect(await value('a')).toBe('a2');
  });

  it('a shared cache reads again after the clock was set back', async () => {
    const { clock, value } = opened();
    await value('a');
    clock.advance(-1);
    expect(await value('a')).toBe('a2');
  });

  it('a shared cache shares a read in progress between loads of one key and of several', async () => {
    const { cache, reads, end } = opened();
    const both = cache.load(['a', 'b']);
    const one = cache.get('a');
    const again = cache.load(['b']);
    end(0);
    expect([(await both)('a'), await one, (await again)('b')]).toEqual(['a1', 'a1', 'b1']);
    expect(reads).toEqual([['a', 'b']]);
  });

  it('a shared cache loads all missing keys in one read, each once', async () => {
    const { cache, reads, end, value } = opened();
    await value('a');
    const found = cache.load(['a', 'b', 'B', 'c', 'b']);
    end(1);
    const valueFor = await found;
    expect([valueFor('a'), valueFor('b'), valueFor('c')]).toEqual(['a1', 'b2', 'c2']);
    expect(reads).toEqual([['a'], ['b', 'c']]);
  });

  it('a load of fresh keys reads nothing', async () => {
    const { cache, reads, value } = opened();
    await value('a');
    expect((await cache.load(['a', 'A']))('a')).toBe('a1');
    expect(reads).toHaveLength(1);
  });

  it('a shared cache reads an urgent key again although it is fresh, and keeps the new value', async () => {
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
    ['everything', 'clear'],
    ['everything after a change', 'changed'],
  ] as const)(
    'a value whose read began before %s was forgotten reaches its waiting callers and is not kept',
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

  it('a shared cache drops one key and no other', async () => {
    const { cache, value } = opened();
    await value('a');
    await value('b');
    cache.forget('A');
    expect([await value('a'), await value('b')]).toEqual(['a3', 'b2']);
  });

  it('a failed read fails all waiting callers, and the next caller reads again', async () => {
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

  it('an older read that fails does not remove a newer value', async () => {
    const { cache, end, value } = opened();
    const failing = cache.get('a');
    cache.clear();
    expect(await value('a')).toBe('a2');
    end(0, new Error('out of reach'));
    await expect(failing).rejects.toThrow('out of reach');
    expect(await value('a')).toBe('a2');
  });

  it('a full cache drops the least recently used value', async () => {
    const { value } = opened();
    for (const key of ['a', 'b', 'c']) await value(key);
    expect(await value('a')).toBe('a1');
    await value('d');
    expect([await value('a'), await value('c'), await value('d'), await value('b')]).toEqual(['a1', 'c3', 'd4', 'b5']);
  });

  it('one load may name more keys than the cache holds', async () => {
    const { cache, end } = opened({ maxEntries: 1 });
    const found = cache.load(['a', 'b', 'c']);
    end(0);
    const valueFor = await found;
    expect(['a', 'b', 'c'].map(valueFor)).toEqual(['a1', 'b1', 'c1']);
  });

  it('a shared cache throws for a key that was not requested', async () => {
    const { cache, end } = opened();
    const found = cache.load(['a']);
    end(0);
    const valueFor = await found;
    expect(() => valueFor('b')).toThrow(new TypeError('this key was not requested'));
  });

  it('a shared cache keeps the value of a key without rows', async () => {
    let reads = 0;
    const nothing = opened({
      read: async () => {
        reads += 1;
        return () => '';
      },
    });
    expect([await nothing.cache.get('a'), await nothing.cache.get('a'), reads]).toEqual(['', '', 1]);
  });

  describe('with a topic', () => {
    it('a signal of its topic clears the cache, and a signal of another topic does not', async () => {
      const { value, wake } = opened();
      expect(await value('a')).toBe('a1');
      wake.signal(['others']);
      expect(await value('a')).toBe('a1');
      wake.signal(['others', 'texts']);
      expect(await value('a')).toBe('a2');
    });

    it('a value whose read began before the signal is not kept', async () => {
      const { cache, end, value, wake } = opened();
      const early = cache.get('a');
      wake.signal(['texts']);
      expect(await value('a')).toBe('a2');
      end(0);
      expect([await early, await value('a')]).toEqual(['a1', 'a2']);
    });

    it('a change clears another cache of its topic in the same process', async () => {
      const one = opened();
      const other = opened({ storage: { outsideTransaction: (work) => work(), wake: one.wake } });
      expect(await other.value('a')).toBe('a1');
      one.cache.changed();
      expect(await other.value('a')).toBe('a2');
    });

    it('a value whose read began during a write is not kept', async () => {
      const { cache, end, value } = opened();
      let early: Promise<string> | undefined;
      const result = await cache.change(async () => {
        early = cache.get('a');
        return 'written';
      });
      end(0);
      expect([result, await early, await value('a')]).toEqual(['written', 'a1', 'a2']);
    });

    it('a write that fails clears this process and signals nobody', async () => {
      const { cache, value, wake } = opened();
      const signalled: string[] = [];
      wake.subscribe((topic) => void signalled.push(topic));
      expect(await value('a')).toBe('a1');
      await expect(cache.change(() => Promise.reject(new Error('answer lost')))).rejects.toThrow('answer lost');
      expect([await value('a'), signalled]).toEqual(['a2', []]);
      await cache.change(async () => undefined);
      expect([await value('a'), signalled]).toEqual(['a3', ['texts']]);
    });

    it('a closed cache no longer follows its topic', async () => {
      const { cache, value, wake } = opened();
      await value('a');
      cache.close();
      wake.signal(['texts']);
      expect(await value('a')).toBe('a1');
    });

    it('a shared cache subscribes once, at the first read', async () => {
      let subscriptions = 0;
      const wake = localWake();
      const subscribe: typeof wake.subscribe = (listener) => {
        subscriptions += 1;
        return wake.subscribe(listener);
      };
      const { cache, value } = opened({
        storage: { outsideTransaction: (work) => work(), wake: { ...wake, subscribe } },
      });
      expect(subscriptions).toBe(0);
      await value('a');
      await cache.load(['a']);
      expect(subscriptions).toBe(1);
    });
  });

  it('a change in a cache without a topic clears this process alone', async () => {
    const { cache, value, wake } = opened({ topic: null });
    const signalled: string[] = [];
    wake.subscribe((topic) => void signalled.push(topic));
    expect(await value('a')).toBe('a1');
    cache.changed();
    expect([await value('a'), signalled]).toEqual(['a2', []]);
  });

  it("a shared cache reads outside the caller's transaction, and does nothing else there", async () => {
    let outside = 0;
    const apart: Storage['outsideTransaction'] = (work) => {
      outside += 1;
      return work();
    };
    const { cache, end, value } = opened({ storage: { outsideTransaction: apart, wake: localWake() } });
    await value('a');
    const both = cache.load(['a', 'b']);
    end(1);
    await both;
    await cache.load(['a', 'b']);
    expect(outside).toBe(2);
  });
});

describe('readByScope', () => {
  it('readByScope gives each scope the value of its own rows, also without rows', async () => {
    const rows = [1, 2, 1].map((scopeId, at) => ({ scopeId, at }));
    // Safe: the statement is only passed on, and these are its rows.
    const select = (async (_, keys) => (keys.length === 3 ? rows : [])) as Storage['select'];
    const statement = {} as BulkSelect<(typeof rows)[number]>;
    const read = readByScope({ select }, statement, (own) => own.length);
    const valueFor = await read([1, 2, 3].map((scopeId) => ({ scopeId })));
    expect([1, 2, 3].map((scopeId) => valueFor({ scopeId }))).toEqual([2, 1, 0]);
  });
});
