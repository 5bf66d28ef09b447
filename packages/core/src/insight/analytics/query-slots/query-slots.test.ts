import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isBeckonError } from '../../../foundation/errors.ts';
import { querySlots } from './query-slots.ts';

describe('query slots of an organization', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });
  /** Work that ends when the test releases it. */
  const open = () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    return { work: () => promise, end: () => resolve('done') };
  };

  it('two queries run at once, and a third runs when one ends within 2 s', async () => {
    const turn = querySlots();
    const [one, two] = [open(), open()];
    let began = false;
    const first = turn('o', one.work);
    const second = turn('o', two.work);
    const third = turn('o', async () => {
      began = true;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(began).toBe(false);
    one.end();
    await Promise.all([first, third]);
    two.end();
    expect([began, await second]).toEqual([true, 'done']);
  });

  it('a waiting query is rejected after 2 s, queries of another organization run', async () => {
    const turn = querySlots();
    const held = [open(), open()];
    const running = held.map(({ work }) => turn('o', work));
    const refused = turn('o', async () => 'late').catch((error: unknown) => error);
    expect(await turn('p', async () => 'at once')).toBe('at once');
    await vi.advanceTimersByTimeAsync(2_000);
    const error = await refused;
    expect(isBeckonError(error, 'RATE_LIMITED') && error.details).toEqual({
      retryAfterSeconds: 2,
      limit: 2,
      reason: 'analytics',
    });
    for (const { end } of held) end();
    await Promise.all(running);
    expect(await turn('o', async () => 'again')).toBe('again');
  });

  it('a query is rejected after 2 s if other processes hold all slots', async () => {
    const turn = querySlots({ take: async () => null });
    const refused = turn('o', async () => 'late').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_900);
    let isRefused = false;
    void refused.then(() => {
      isRefused = true;
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(isRefused).toBe(false);
    await vi.advanceTimersByTimeAsync(150);
    expect(isBeckonError(await refused, 'RATE_LIMITED')).toBe(true);
  });

  it('a failed query releases its slot', async () => {
    const turn = querySlots();
    for (let n = 0; n < 3; n += 1) await expect(turn('o', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turn('o', async () => 1)).toBe(1);
  });
});
