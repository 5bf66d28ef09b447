import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectionMutex } from './mutex.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('mutex', () => {
  it('runs exclusive jobs one after another in the order in which they came', async () => {
    const mutex = connectionMutex();
    const seen: string[] = [];
    const job = (name: string) => async () => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    };
    await Promise.all([mutex.exclusive(job('a')), mutex.exclusive(job('b'))]);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('lets an outside job wait for those that came before it', async () => {
    const mutex = connectionMutex();
    const seen: string[] = [];
    await Promise.all([
      mutex.exclusive(async () => {
        await turn();
        seen.push('first');
      }),
      mutex.outside(() => seen.push('outside')),
      mutex.exclusive(async () => {
        seen.push('second');
      }),
    ]);
    expect(seen).toEqual(['first', 'outside', 'second']);
  });

  it('runs an outside job at once while nobody has the connection', async () => {
    const mutex = connectionMutex();
    await mutex.rest();
    let hasRun = false;
    const running = mutex.outside(() => {
      hasRun = true;
    });
    expect(hasRun).toBe(true);
    await running;
  });

  it('goes on after jobs that throw', async () => {
    const mutex = connectionMutex();
    const refuse = async (): Promise<never> => Promise.reject(new Error('refused'));
    const thrown = Promise.allSettled([mutex.exclusive(refuse), mutex.exclusive(refuse)]);
    const after = mutex.exclusive(async () => 'after');
    expect((await thrown).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await after).toBe('after');
    expect(await mutex.outside(() => 'outside')).toBe('outside');
  });

  it('refuses to be joined from inside an exclusive job, and from there only', async () => {
    const mutex = connectionMutex();
    const over = Promise.withResolvers<void>();
    const { later } = await mutex.exclusive(async () => {
      await expect(mutex.outside(() => undefined)).rejects.toThrow('inside a transaction');
      await expect(mutex.exclusive(async () => undefined)).rejects.toThrow('inside a transaction');
      expect(mutex.refuseInside).toThrow('inside a transaction');
      return { later: over.promise.then(() => mutex.outside(() => 'left running')) };
    });
    over.resolve();
    expect(await later).toBe('left running');
  });

  it('is tired after 4 ms without a rest', async () => {
    const mutex = connectionMutex();
    await mutex.rest();
    expect(mutex.isTired()).toBe(false);
    await sleep(15);
    expect(mutex.isTired()).toBe(true);
    await mutex.rest();
    expect(mutex.isTired()).toBe(false);
  });
});
