import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { indexing } from './indexing.ts';
import { PASS } from './store.ts';

describe('indexing', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });
  let steps = 0;
  afterEach(() => {
    steps = 0;
  });
  /** A catch-up of that many steps, each of which takes some time. */
  const working = (left: number) =>
    indexing(async () => {
      await Promise.resolve();
      steps += 1;
      return steps < left;
    });

  it('the index catches up once a full pass is due, even while ingest is busy', async () => {
    const index = working(3);
    index.stored(PASS - 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(steps).toBe(0);
    index.stored(1);
    index.stored(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(steps).toBe(3);
  });

  it('the index catches up shortly after the last of 500 events, and not after fewer', async () => {
    const index = working(1);
    index.stored(499);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(steps).toBe(0);
    index.stored(1);
    await vi.advanceTimersByTimeAsync(200);
    index.stored(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(steps).toBe(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(steps).toBe(1);
  });

  it('the index catches up again after a failed step', async () => {
    let isAway = true;
    const index = indexing(async () => {
      steps += 1;
      if (isAway) throw new Error('full');
      return false;
    });
    index.stored(PASS);
    await vi.advanceTimersByTimeAsync(0);
    isAway = false;
    index.stored(PASS);
    await vi.advanceTimersByTimeAsync(0);
    expect(steps).toBe(2);
  });

  it('a stopped index starts no step and waits for the running one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const index = indexing(async () => {
      steps += 1;
      await promise;
      return true;
    });
    index.stored(PASS);
    let isStopped = false;
    const stopping = index.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isStopped).toBe(false);
    resolve();
    await stopping;
    index.stored(PASS);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(steps).toBe(1);
  });
});
