import { describe, expect, it } from 'vitest';
import { ingestQueue, MAX_FLUSH_ROWS, MAX_PENDING_BYTES, MAX_PENDING_ROWS, partitionKey } from './queue.ts';

const MB_16 = 16_777_216;
const overloaded = { code: 'OVERLOADED', retryAfterSeconds: 1 };

/** A queue whose flushes block until the test releases them. */
const held = (dialect: 'sqlite' | 'postgres' = 'sqlite') => {
  const flushes: (readonly number[])[] = [];
  const gate = Promise.withResolvers<void>();
  const queue = ingestQueue<number, number>(dialect, async (rows) => {
    flushes.push(rows);
    await gate.promise;
    return rows.map((value) => ({ ok: true, value }));
  });
  return { queue, flushes, release: () => gate.resolve() };
};
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const submitAll = (queue: ReturnType<typeof held>['queue'], count: number, bytes = 0): Promise<number>[] =>
  range(count).map((row) => queue.submit(row, bytes, 0));

describe('ingestQueue', () => {
  it('SQLite flushes one batch at a time, PostgreSQL two', async () => {
    for (const [dialect, expected] of [
      ['sqlite', [[0, 1, 2, 3]]],
      [
        'postgres',
        [
          [0, 2],
          [1, 3],
        ],
      ],
    ] as const) {
      const { queue, flushes, release } = held(dialect);
      const all = range(4).map((row) => queue.submit(row, 0, row));
      await turn();
      expect(flushes).toEqual(expected);
      release();
      await Promise.all(all);
    }
  });

  it('a flush has at most 1,000 rows', async () => {
    expect(MAX_FLUSH_ROWS).toBe(1_000);
    const { queue, flushes, release } = held();
    release();
    await Promise.all(submitAll(queue, 1_001));
    expect(flushes.map(({ length }) => length)).toEqual([1_000, 1]);
  });

  it('the queue holds 20,000 rows, sheds the next one and accepts more after a flush', async () => {
    expect(MAX_PENDING_ROWS).toBe(20_000);
    const { queue, release } = held();
    const all = submitAll(queue, 20_000);
    await expect(queue.submit(0, 0, 0)).rejects.toMatchObject(overloaded);
    release();
    await Promise.all(all);
    await expect(queue.submit(7, 0, 0)).resolves.toBe(7);
  });

  it('the queue holds 16 MB and sheds one byte more', async () => {
    expect(MAX_PENDING_BYTES).toBe(MB_16);
    const { queue, release } = held();
    const all = submitAll(queue, 2, MB_16 / 2);
    await expect(queue.submit(0, 1, 0)).rejects.toMatchObject(overloaded);
    all.push(queue.submit(9, 0, 0));
    release();
    await Promise.all(all);
    await expect(queue.submit(7, MB_16, 0)).resolves.toBe(7);
  });

  it('isFull reports whether a number of rows and bytes would fit', async () => {
    const { queue, release } = held();
    expect(queue.isFull(20_000, MB_16)).toBe(false);
    const all = submitAll(queue, 10, 100);
    expect([queue.isFull(19_990, 0), queue.isFull(19_991, 0)]).toEqual([false, true]);
    expect([queue.isFull(1, MB_16 - 1_000), queue.isFull(1, MB_16 - 999)]).toEqual([false, true]);
    release();
    await Promise.all(all);
  });

  it('rows and bytes count as waiting until they are on disk', async () => {
    const { queue, release } = held();
    const all = submitAll(queue, 1, 100);
    await turn();
    expect([queue.isFull(19_999, MB_16 - 100), queue.isFull(20_000, 0), queue.isFull(0, MB_16 - 99)]).toEqual([
      false,
      true,
      true,
    ]);
    release();
    await Promise.all(all);
    await turn();
    expect(queue.isFull(20_000, MB_16)).toBe(false);
  });
});

describe('partitionKey', () => {
  const keyOf = (userId: string | null, anonymousId: string | null, scopeId = 1): number =>
    partitionKey({ scope: { scopeId }, userId, anonymousId });

  it('the partition of a profile is a stable integer that differs between most profiles', () => {
    const keys = range(100).map((at) => keyOf(`user-${at}`, null));
    expect(keys.every((key) => Number.isSafeInteger(key) && key >= 0)).toBe(true);
    expect(range(100).map((at) => keyOf(`user-${at}`, 'device'))).toEqual(keys);
    expect(new Set(keys.map((key) => key % 2)).size).toBe(2);
    expect(keyOf('ada', null, 2)).not.toBe(keyOf('ada', null));
    expect(keyOf(null, 'device')).toBe(keyOf(null, 'device'));
  });
});
