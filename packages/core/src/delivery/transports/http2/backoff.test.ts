import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoff } from './backoff.ts';

describe('backoff', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('backoff pauses 1 s after a failure, doubled after each further one up to 30 s', () => {
    const hold = backoff(() => 0.5);
    const pauses = Array.from({ length: 7 }, () => {
      hold.failed();
      return hold.pausedMs();
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('backoff varies by a fifth at most', () => {
    for (const [random, pause] of [
      [0, 800],
      [0.999_999, 1_200],
    ] as const) {
      const hold = backoff(() => random);
      hold.failed();
      expect(hold.pausedMs()).toBe(pause);
    }
  });

  it('a pause ends by itself and keeps the count of failures', () => {
    const hold = backoff(() => 0.5);
    hold.failed();
    vi.advanceTimersByTime(999);
    expect(hold.pausedMs()).toBe(1_000);
    vi.advanceTimersByTime(1);
    expect(hold.pausedMs()).toBe(0);
    hold.failed();
    expect(hold.pausedMs()).toBe(2_000);
  });

  it('a success resets the backoff and leaves no timer', () => {
    const hold = backoff(() => 0.5);
    hold.failed();
    hold.succeeded();
    expect(hold.pausedMs()).toBe(0);
    hold.failed();
    expect(hold.pausedMs()).toBe(1_000);
    hold.clear();
    expect(vi.getTimerCount()).toBe(0);
  });
});
