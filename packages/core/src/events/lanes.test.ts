import { describe, expect, it } from 'vitest';
import { lanes, MAX_FLUSH_ROWS, MAX_PENDING_BYTES, MAX_PENDING_ROWS, type Settled } from './lanes.ts';

const ok = (value: number): Settled<number> => ({ ok: true, value });
const overloaded = { code: 'OVERLOADED', retryAfterSeconds: 1 };

/** Lanes whose flushes wait until they are let go. */
const held = (count = 1) => {
  const flushes: (readonly number[])[] = [];
  const gate = Promise.withResolvers<void>();
  const queue = lanes<number, number>(count, async (items) => {
    flushes.push(items);
    await gate.promise;
    return items.map(ok);
  });
  return { queue, flushes, release: () => gate.resolve() };
};
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const submitAll = (queue: ReturnType<typeof held>['queue'], count: number, bytes = 0): Promise<number>[] =>
  range(count).map((item) => queue.submit(item, bytes, 0));

describe('lanes', () => {
  it('flushes together what arrived together, and what arrived meanwhile after it', async () => {
    const { queue, flushes, release } = held();
    const first = submitAll(queue, 3);
    await turn();
    const second = submitAll(queue, 2);
    await turn();
    expect(flushes).toEqual([[0, 1, 2]]);
    release();
    expect(await Promise.all([...first, ...second])).toEqual([0, 1, 2, 0, 1]);
    expect(flushes).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
  });

  it('flushes at most 1,000 rows at once', async () => {
    expect(MAX_FLUSH_ROWS).toBe(1_000);
    const { queue, flushes, release } = held();
    release();
    await Promise.all(submitAll(queue, 1_001));
    expect(flushes.map(({ length }) => length)).toEqual([1_000, 1]);
  });

  it('works lanes side by side, each by its key', async () => {
    const { queue, flushes, release } = held(2);
    const all = [0, 1, 2, 3].map((item) => queue.submit(item, 0, item));
    await turn();
    expect(flushes).toEqual([
      [0, 2],
      [1, 3],
    ]);
    release();
    await Promise.all(all);
  });

  it('takes 20,000 waiting rows, sheds the next and takes more once some were written', async () => {
    expect(MAX_PENDING_ROWS).toBe(20_000);
    const { queue, release } = held();
    const all = submitAll(queue, 20_000);
    await expect(queue.submit(0, 0, 0)).rejects.toMatchObject(overloaded);
    release();
    await Promise.all(all);
    await expect(queue.submit(7, 0, 0)).resolves.toBe(7);
  });

  it('takes 16 MB of waiting bytes and sheds one more', async () => {
    expect(MAX_PENDING_BYTES).toBe(16_777_216);
    const { queue, release } = held();
    const all = submitAll(queue, 2, 8_388_608);
    await expect(queue.submit(0, 1, 0)).rejects.toMatchObject(overloaded);
    all.push(queue.submit(9, 0, 0));
    release();
    await Promise.all(all);
    await expect(queue.submit(7, 16_777_216, 0)).resolves.toBe(7);
  });

  it('tells beforehand whether so many rows and bytes would fit', async () => {
    const { queue, release } = held();
    expect(queue.isFull(20_000, 16_777_216)).toBe(false);
    const all = submitAll(queue, 10, 100);
    expect([queue.isFull(19_990, 0), queue.isFull(19_991, 0)]).toEqual([false, true]);
    expect([queue.isFull(1, 16_776_216), queue.isFull(1, 16_776_217)]).toEqual([false, true]);
    release();
    await Promise.all(all);
  });

  it('counts rows and bytes as waiting until they are on disk', async () => {
    const { queue, release } = held();
    const all = submitAll(queue, 1, 100);
    await turn();
    expect([queue.isFull(19_999, 16_777_116), queue.isFull(20_000, 0), queue.isFull(0, 16_777_117)]).toEqual([
      false,
      true,
      true,
    ]);
    release();
    await Promise.all(all);
    await turn();
    expect(queue.isFull(20_000, 16_777_216)).toBe(false);
  });

  it('answers each item with what became of it', async () => {
    const queue = lanes<number, number>(1, async (items) =>
      items.slice(0, 2).map((item) => (item === 1 ? { ok: false, error: new Error('the second') } : ok(item))),
    );
    const settled = await Promise.allSettled(submitAll(queue, 3));
    expect(settled).toMatchObject([
      { value: 0 },
      { reason: { message: 'the second' } },
      { reason: { message: 'a flush left an item out' } },
    ]);
  });

  it('refuses every item of a flush that throws, and goes on with the next', async () => {
    let isBroken = true;
    const queue = lanes<number, number>(1, async (items) => {
      if (isBroken) throw new Error('broken');
      return items.map(ok);
    });
    const settled = await Promise.allSettled(submitAll(queue, 2, 100));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    await expect(queue.submit(7, 0, 0)).resolves.toBe(7);
    await turn();
    expect(queue.isFull(20_000, 16_777_216)).toBe(false);
  });

  it('refuses what comes after it was closed, and is closed once what waited is written', async () => {
    const { queue, release } = held(2);
    const all = [0, 1].map((item) => queue.submit(item, 0, item));
    await turn();
    let isClosed = false;
    const closing = queue.close().then(() => {
      isClosed = true;
    });
    await expect(queue.submit(2, 0, 0)).rejects.toMatchObject(overloaded);
    expect(queue.isFull(1, 0)).toBe(true);
    await turn();
    expect(isClosed).toBe(false);
    release();
    expect(await Promise.all(all)).toEqual([0, 1]);
    await closing;
    await queue.close();
  });
});
