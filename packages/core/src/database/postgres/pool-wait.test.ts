import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { poolWait } from './pool-wait.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pool with a number of waiting calls, whose next connection is granted or refused by hand. */
const poolOf = (waitingCount: number) => {
  const asked: PromiseWithResolvers<{ release(): void }>[] = [];
  const state = { waitingCount, released: 0 };
  const connect = () => {
    const one = Promise.withResolvers<{ release(): void }>();
    asked.push(one);
    return one.promise;
  };
  const give = async (): Promise<void> => {
    const release = (): void => {
      state.released += 1;
    };
    asked.at(-1)?.resolve({ release });
    await vi.advanceTimersByTimeAsync(0);
  };
  const refuse = async (): Promise<void> => {
    asked.at(-1)?.reject(new Error('away'));
    await vi.advanceTimersByTimeAsync(0);
  };
  const pool = {
    connect,
    get waitingCount() {
      return state.waitingCount;
    },
  };
  return { waitMs: poolWait(pool), state, asked, give, refuse };
};

describe('poolWait', () => {
  it('the pool wait is 0 while nobody waits, and takes no connection', () => {
    const { waitMs, asked } = poolOf(0);
    expect([waitMs(), asked.length]).toEqual([0, 0]);
  });

  it('the pool wait is the time of one more request, whose connection is returned', async () => {
    const { waitMs, state, asked, give } = poolOf(3);
    expect(waitMs()).toBe(0);
    vi.advanceTimersByTime(700);
    expect([waitMs(), asked.length]).toEqual([700, 1]);
    vi.advanceTimersByTime(300);
    await give();
    expect([waitMs(), state.released, asked.length]).toEqual([1_000, 1, 2]);
    await give();
    state.waitingCount = 0;
    expect([waitMs(), state.released, asked.length]).toEqual([0, 2, 2]);
  });

  it('the pool wait is 0 if no connection can be made', async () => {
    const { waitMs, give, refuse } = poolOf(1);
    waitMs();
    vi.advanceTimersByTime(700);
    await give();
    expect(waitMs()).toBe(700);
    vi.advanceTimersByTime(5_000);
    await refuse();
    expect(waitMs()).toBe(0);
  });
});
