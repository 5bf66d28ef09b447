import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batcher, type Settled } from './batcher.ts';

/** Flushes that end on demand. */
const gated = () => {
  const flushes: number[][] = [];
  const ends: (() => void)[] = [];
  const flush = (items: readonly number[]): Promise<readonly []> => {
    flushes.push([...items]);
    return new Promise((resolve) => ends.push(() => resolve([])));
  };
  /** Flushes that end at once. */
  const noting = async (items: readonly number[]): Promise<readonly []> => {
    flushes.push([...items]);
    return [];
  };
  const turn = (): Promise<void> => vi.advanceTimersByTimeAsync(1).then(() => undefined);
  const end = async (at: number): Promise<void> => {
    ends[at]?.();
    await turn();
  };
  return { flushes, flush, noting, turn, end };
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('batcher', () => {
  it('a batcher flushes the items of one turn together, and later ones next, in order', async () => {
    const { flushes, flush, turn, end } = gated();
    const { add } = batcher({ flush });
    for (const item of [1, 2, 3]) add(item);
    expect(flushes).toEqual([]);
    await turn();
    for (const item of [4, 5]) add(item);
    await turn();
    expect(flushes).toEqual([[1, 2, 3]]);
    await end(0);
    expect(flushes).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('a batcher flushes a group together if it fits into one flush', async () => {
    const { flushes, flush, turn, end } = gated();
    const isOneWith = (before: number, item: number): boolean => Math.trunc(before / 10) === Math.trunc(item / 10);
    const { add } = batcher({ flush, maxFlushRows: 3, isOneWith });
    for (const item of [1, 2, 11, 12, 13, 21, 22, 23, 24]) add(item);
    await turn();
    for (const at of [0, 1, 2]) await end(at);
    expect(flushes).toEqual([[1, 2], [11, 12, 13], [21, 22, 23], [24]]);
  });

  it('a batcher flushes no more rows at once than allowed, the oldest first', async () => {
    const { flushes, flush, turn, end } = gated();
    const { add } = batcher({ flush, maxFlushRows: 2 });
    for (const item of [1, 2, 3, 4, 5]) add(item);
    await turn();
    await end(0);
    await end(1);
    expect(flushes).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('a batcher gives each owner an equal share of a full flush, round robin', async () => {
    const { flushes, flush, turn, end } = gated();
    const { add } = batcher({ flush, maxFlushRows: 4, ownerOf: (item) => Math.trunc(item / 10) });
    for (const item of [11, 12, 13, 14, 15, 16, 17, 21, 22, 31]) add(item);
    await turn();
    for (const at of [0, 1]) await end(at);
    expect(flushes.map((of) => of.toSorted())).toEqual([
      [11, 21, 22, 31],
      [12, 13, 14, 15],
      [16, 17],
    ]);
  });

  it('a batcher makes smaller flushes while several owners are active, and splits no group', async () => {
    const { flushes, flush, turn, end } = gated();
    const { add } = batcher({
      ...{ flush, maxFlushRows: 8, sharedFlushRows: 2, ownerOf: (item: number) => Math.trunc(item / 100) },
      isOneWith: (before, item) => item >= 150 && item === before + 1,
    });
    for (let item = 100; item < 110; item += 1) add(item);
    await turn();
    for (const item of [150, 151, 152, 153, 200]) add(item);
    for (const at of [0, 1, 2, 3]) await end(at);
    expect(flushes).toEqual([[100, 101, 102, 103, 104, 105, 106, 107], [108, 200], [109], [150, 151, 152, 153]]);
  });

  it('a batcher yields a turn between flushes of several owners, so that new items join the next flush', async () => {
    vi.useRealTimers();
    const { flushes, noting } = gated();
    const flush = (items: readonly number[]): Promise<readonly []> => {
      if (flushes.length === 0) setImmediate(() => add(201));
      return noting(items);
    };
    const { add, settled } = batcher({
      ...{ flush, maxFlushRows: 8, sharedFlushRows: 2, ownerOf: (item: number) => Math.trunc(item / 100) },
    });
    for (const item of [100, 101, 102, 103, 104, 105, 200]) add(item);
    await settled();
    expect(flushes[1]).toContain(201);
    expect(flushes.flat().toSorted()).toEqual([100, 101, 102, 103, 104, 105, 200, 201]);
  });

  it('a batcher keeps the order within a partition, and partitions do not wait for each other', async () => {
    const { flushes, flush, turn, end } = gated();
    const { add } = batcher({ flush, partitions: 2 });
    add(10, 0);
    add(11, 3);
    await turn();
    for (const [item, key] of [
      [20, 2],
      [21, 1],
    ] as const)
      add(item, key);
    await end(1);
    expect(flushes).toEqual([[10], [11], [21]]);
    await end(0);
    expect(flushes).toEqual([[10], [11], [21], [20]]);
  });

  it('flushes of a partition start at least `gatherMs` apart, and the first after a pause starts at once', async () => {
    const { flushes, noting } = gated();
    const { add } = batcher<number>({ gatherMs: 10, flush: noting });
    for (const item of [1, 2, 3]) {
      add(item);
      await vi.advanceTimersByTimeAsync(2);
    }
    expect(flushes).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(10);
    expect(flushes).toEqual([[1], [2, 3]]);
    await vi.advanceTimersByTimeAsync(10);
    add(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(flushes).toEqual([[1], [2, 3], [4]]);
  });

  it('a batcher gathers only until all items that can arrive are there', async () => {
    const { flushes, noting } = gated();
    const { add } = batcher<number>({ gatherMs: 10, isComplete: (waiting) => waiting === 2, flush: noting });
    for (const item of [1, 2, 3]) {
      add(item);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(flushes).toEqual([[1], [2, 3]]);
    for (const item of [4, 5]) add(item);
    await vi.advanceTimersByTimeAsync(1);
    expect(flushes).toEqual([[1], [2, 3], [4, 5]]);
    add(6);
    await vi.advanceTimersByTimeAsync(5);
    expect(flushes).toEqual([[1], [2, 3], [4, 5]]);
    await vi.advanceTimersByTimeAsync(10);
    expect(flushes).toEqual([[1], [2, 3], [4, 5], [6]]);
  });

  it('a batcher is settled when nothing waits and every partition is flushed', async () => {
    const { flush, turn, end } = gated();
    const { add, settled } = batcher({ flush, partitions: 2 });
    await settled();
    let heard = 0;
    add(0, 0);
    add(1, 1);
    for (const waiting of [settled(), settled()]) void waiting.then(() => (heard += 1));
    await turn();
    add(2, 0);
    await end(0);
    await end(1);
    expect(heard).toBe(0);
    await end(2);
    expect(heard).toBe(2);
  });
});

describe('submit', () => {
  const ok = (items: readonly number[]): Settled<string>[] =>
    items.map((item) => ({ ok: true, value: `item ${item}` }));
  const overloaded = expect.objectContaining({ code: 'OVERLOADED' });

  it("submit resolves or rejects with the item's own result", async () => {
    const { submit } = batcher<number, string>({
      flush: async ([first, ...rest]) => [{ ok: false, error: new Error(`not ${first}`) }, ...ok(rest)],
    });
    const answers = Promise.allSettled([submit(1), submit(2)]);
    await vi.runAllTimersAsync();
    expect(await answers).toEqual([
      { status: 'rejected', reason: new Error('not 1') },
      { status: 'fulfilled', value: 'item 2' },
    ]);
  });

  it('submit rejects every item with the error of its flush, and the next flush runs', async () => {
    let isDown = true;
    const { submit, isFull } = batcher<number, string>({
      maxPendingRows: 2,
      maxPendingBytes: 100,
      flush: async (items) => {
        if (isDown) throw new Error('away');
        return ok(items);
      },
    });
    const lost = Promise.allSettled([submit(1, 50), submit(2, 50)]);
    await vi.runAllTimersAsync();
    expect(await lost).toEqual([1, 2].map(() => ({ status: 'rejected', reason: new Error('away') })));
    expect(isFull(2, 100)).toBe(false);
    isDown = false;
    const next = submit(3);
    await vi.runAllTimersAsync();
    expect(await next).toBe('item 3');
  });

  it('submit rejects an item that a flush left out', async () => {
    const { submit } = batcher<number, string>({ flush: async () => [] });
    const answer = expect(submit(1)).rejects.toEqual(new Error('a flush left an item out'));
    await vi.runAllTimersAsync();
    await answer;
  });

  it('submit rejects rows above the pending limit, which includes rows being flushed', async () => {
    const { flush, turn, end } = gated();
    const { submit, isFull } = batcher<number, string>({
      maxPendingRows: 2,
      flush: (items) => flush(items).then(() => ok(items)),
    });
    const first = submit(1);
    await turn();
    const second = submit(2);
    expect([isFull(0, 0), isFull(1, 0)]).toEqual([false, true]);
    await expect(submit(3)).rejects.toEqual(overloaded);
    await end(0);
    expect([await first, isFull(1, 0), isFull(2, 0)]).toEqual(['item 1', false, true]);
    await end(1);
    expect([await second, isFull(2, 0), isFull(3, 0)]).toEqual(['item 2', false, true]);
  });

  it('submit rejects bytes above the pending limit exactly', async () => {
    const { flush, turn, end } = gated();
    const { submit, isFull } = batcher<number, string>({
      maxPendingBytes: 100,
      flush: (items) => flush(items).then(() => ok(items)),
    });
    const first = submit(1, 60);
    await turn();
    await expect(submit(2, 41)).rejects.toEqual(overloaded);
    expect([isFull(1, 40), isFull(1, 41)]).toEqual([false, true]);
    const exact = submit(3, 40);
    await end(0);
    expect([await first, isFull(1, 60), isFull(1, 61)]).toEqual(['item 1', false, true]);
    await end(1);
    expect([await exact, isFull(1, 100), isFull(1, 101)]).toEqual(['item 3', false, true]);
  });

  it('submit keeps a reserve for other owners if one fills the limit, and it shrinks with use', async () => {
    const { flush, turn, end } = gated();
    const { submit, isFull, filled } = batcher<number, string>({
      ...{ maxPendingRows: 16, maxPendingBytes: 1_000, ownerOf: (item) => Math.trunc(item / 100) },
      flush: (items) => flush(items).then(() => ok(items)),
    });
    const first = Array.from({ length: 16 }, (_, at) => submit(100 + at));
    expect([isFull(1, 0, 1), isFull(2, 0, 2), isFull(3, 0, 2), filled()]).toEqual([true, false, true, 1]);
    await expect(submit(199)).rejects.toEqual(overloaded);
    const others = [200, 201].map((item) => submit(item));
    await expect(submit(202)).rejects.toEqual(overloaded);
    expect([isFull(1, 0, 3), isFull(2, 0, 3), filled()]).toEqual([false, true, 1]);
    await turn();
    await end(0);
    expect(await Promise.all([...first, ...others])).toHaveLength(18);
    expect([isFull(16, 0, 1), isFull(17, 0, 1), filled()]).toEqual([false, true, 0]);
    const large = submit(100, 1_000);
    expect([isFull(1, 1, 1), isFull(1, 125, 2), isFull(1, 126, 2)]).toEqual([true, false, true]);
    await turn();
    await end(1);
    expect([await large, isFull(0, 1_000, 1), filled()]).toEqual(['item 100', false, 0]);
    const part = submit(100, 400);
    expect(filled()).toBe(0.4);
    await turn();
    await end(2);
    await part;
  });

  it("an owner's pending count covers waiting items only", async () => {
    const { flush, turn, end } = gated();
    const { submit, isFull } = batcher<number, string>({
      ...{ maxPendingRows: 16, maxPendingBytes: 1_000, maxFlushRows: 10, ownerOf: (item) => Math.trunc(item / 100) },
      flush: (items) => flush(items).then(() => ok(items)),
    });
    const written = Array.from({ length: 10 }, (_, at) => submit(100 + at, 90));
    const left = submit(110, 10);
    await turn();
    await end(0);
    await Promise.all(written);
    const others = Array.from({ length: 15 }, (_, at) => submit(200 + at, 66));
    // The reserve of a quarter still has capacity beside the one row and ten bytes that wait.
    expect([isFull(1, 1, 1), isFull(1, 50, 1), isFull(1, 1, 2)]).toEqual([false, false, true]);
    for (const at of [1, 2, 3]) await end(at);
    await Promise.all([left, ...others]);
  });

  it('a closed batcher flushes accepted items and rejects new ones', async () => {
    const flushed: number[] = [];
    const { submit, isFull, close } = batcher<number, string>({
      maxFlushRows: 1,
      flush: async (items) => {
        flushed.push(...items);
        return ok(items);
      },
    });
    const taken = Promise.all([submit(1), submit(2)]);
    const closed = close();
    expect(isFull(0, 0)).toBe(true);
    await expect(submit(3)).rejects.toEqual(overloaded);
    await vi.runAllTimersAsync();
    await closed;
    expect([await taken, flushed]).toEqual([
      ['item 1', 'item 2'],
      [1, 2],
    ]);
    await close();
  });

  describe('with a slow owner', () => {
    /** Items of owner 1 are undone unless they are flushed alone; each flush ends on demand. */
    const world = () => {
      const { flushes, flush, turn, end } = gated();
      const ownerOf = (item: number): number => Math.trunc(item / 100);
      const batch = batcher<number, string>({
        ownerOf,
        flush: async (items, isAlone) => {
          await flush(items);
          return ok(items).map((one, at) => (!isAlone && ownerOf(items[at] ?? 0) === 1 ? null : one));
        },
      });
      const answered: string[] = [];
      const submit = (item: number): void => void batch.submit(item).then((answer) => answered.push(answer));
      return { flushes, turn, end, submit, answered, batch };
    };

    it("a slow owner's items are flushed alone, beside the others, in order of arrival", async () => {
      const { flushes, turn, end, submit, answered, batch } = world();
      for (const item of [101, 102, 201]) submit(item);
      await turn();
      for (const item of [103, 202]) submit(item);
      await end(0);
      expect(answered).toEqual(['item 201']);
      expect(flushes.slice(1)).toEqual([[101, 102, 103], [202]]);
      await end(2);
      expect(answered).toEqual(['item 201', 'item 202']);
      // Other items do not wait for them.
      submit(203);
      submit(104);
      await turn();
      expect(flushes.slice(3)).toEqual([[203]]);
      await end(3);
      await end(1);
      await turn();
      expect(flushes.slice(4)).toEqual([[104]]);
      expect(batch.isFull(0, 0)).toBe(false);
      await end(4);
      expect(answered).toEqual(['item 201', 'item 202', 'item 203', 'item 101', 'item 102', 'item 103', 'item 104']);
    });

    it('closing waits for items that are flushed alone', async () => {
      const { turn, end, submit, batch } = world();
      for (const item of [101, 201]) submit(item);
      await turn();
      await end(0);
      let isClosed = false;
      void batch.close().then(() => {
        isClosed = true;
      });
      await turn();
      expect(isClosed).toBe(false);
      await end(1);
      await turn();
      expect(isClosed).toBe(true);
    });

    it('a slow owner rejoins the others after ten seconds of fast flushes', async () => {
      const { flushes, turn, end, submit } = world();
      for (const item of [101, 201]) submit(item);
      await turn();
      await end(0);
      await end(1);
      await vi.advanceTimersByTimeAsync(10_000);
      for (const item of [105, 205]) submit(item);
      await turn();
      expect(flushes.at(-1)).toEqual([105, 205]);
    });
  });
});
