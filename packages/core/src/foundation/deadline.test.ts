import { describe, expect, it } from 'vitest';
import { deadlineMs, untilDeadline, withDeadline, withoutDeadline } from './deadline.ts';

describe('withDeadline', () => {
  it('a deadline ends its milliseconds after its start, for everything that its work calls', async () => {
    const before = performance.now();
    await withDeadline(5_000, async () => {
      await Promise.resolve();
      expect(deadlineMs()).toBeGreaterThanOrEqual(before + 5_000);
      expect(deadlineMs()).toBeLessThanOrEqual(performance.now() + 5_000);
    });
    expect(deadlineMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('an inner deadline is never later than the outer one', async () => {
    await withDeadline(1_000, async () => {
      const outer = deadlineMs();
      await withDeadline(60_000, async () => expect(deadlineMs()).toBe(outer));
      await withDeadline(10, async () => expect(deadlineMs()).toBeLessThan(outer));
    });
  });

  it('work that goes on after its call returned has no deadline', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left: Promise<number> = Promise.resolve(0);
    await withDeadline(1, async () => {
      left = promise.then(deadlineMs);
    });
    resolve();
    expect(await left).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('untilDeadline', () => {
  it('untilDeadline sets or removes the deadline of its work', async () => {
    await untilDeadline(7, async () => {
      expect(deadlineMs()).toBe(7);
      await untilDeadline(Number.POSITIVE_INFINITY, async () => expect(deadlineMs()).toBe(Number.POSITIVE_INFINITY));
    });
  });
});

describe('withoutDeadline', () => {
  it('withoutDeadline runs work without the deadline of its caller', async () => {
    await untilDeadline(7, async () => withoutDeadline(() => expect(deadlineMs()).toBe(Number.POSITIVE_INFINITY)));
  });
});
