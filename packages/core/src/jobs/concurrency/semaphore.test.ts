import { describe, expect, it } from 'vitest';
import { semaphore } from './semaphore.ts';

describe('semaphore', () => {
  const never = new AbortController().signal;

  it('a semaphore admits the longest waiting call first', async () => {
    const permits = semaphore(1);
    const order: string[] = [];
    await permits.acquire(never);
    const waiting = ['a', 'b'].map(async (name) => {
      await permits.acquire(never);
      order.push(name);
      permits.release();
    });
    permits.release();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b']);
  });

  it('a call that stopped waiting holds no permit', async () => {
    const permits = semaphore(1);
    await permits.acquire(never);
    const controller = new AbortController();
    const waiting = permits.acquire(controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    permits.release();
    expect(await permits.acquire(never)).toBe(true);
  });

  it('a call whose signal was already aborted gets no permit', async () => {
    const permits = semaphore(1);
    expect(await permits.acquire(AbortSignal.abort())).toBe(false);
    expect(await permits.acquire(never)).toBe(true);
  });
});
