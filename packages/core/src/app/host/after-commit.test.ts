import { describe, expect, it } from 'vitest';
import { afterCommit } from './after-commit.ts';

const silent = { error: () => undefined };

describe('host hooks after a commit', () => {
  it('an after hook runs one call at a time, with everything that arrived during the previous call', async () => {
    const calls: number[][] = [];
    const first = Promise.withResolvers<void>();
    const after = afterCommit<number>(
      'x',
      async (items) => {
        calls.push([...items]);
        if (calls.length === 1) await first.promise;
      },
      silent,
    );
    after.add([1]);
    await new Promise((resolve) => setImmediate(resolve));
    after.add([2]);
    after.add([3, 4]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual([[1]]);
    first.resolve();
    await after.settled();
    expect(calls).toEqual([[1], [2, 3, 4]]);
  });

  it('an after hook drops items beyond a backlog of 10,000, and logs it', async () => {
    const lines: object[] = [];
    const seen: number[] = [];
    const after = afterCommit<number>('x', (items) => void seen.push(items.length), {
      error: (fields) => void lines.push(fields),
    });
    after.add(Array.from({ length: 10_000 }, (_, at) => at));
    after.add([1, 2, 3]);
    await after.settled();
    expect(seen).toEqual([10_000]);
    expect(lines).toEqual([{ hook: 'x', items: 3 }]);
  });
});
