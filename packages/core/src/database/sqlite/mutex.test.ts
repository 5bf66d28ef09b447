import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectionMutex } from './mutex.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('mutex', () => {
  it('exclusive jobs run one after another in the order of arrival', async () => {
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

  it('an outside job waits for earlier jobs', async () => {
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

  it('an outside job runs at once while the connection is free', async () => {
    const mutex = connectionMutex();
    await mutex.yieldTurn();
    let hasRun = false;
    const running = mutex.outside(() => {
      hasRun = true;
    });
    expect(hasRun).toBe(true);
    await running;
  });

  it('the mutex continues after jobs that throw', async () => {
    const mutex = connectionMutex();
    const refuse = async (): Promise<never> => Promise.reject(new Error('refused'));
    const thrown = Promise.allSettled([mutex.exclusive(refuse), mutex.exclusive(refuse)]);
    const after = mutex.exclusive(async () => 'after');
    expect((await thrown).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await after).toBe('after');
    expect(await mutex.outside(() => 'outside')).toBe('outside');
  });

  it('the mutex rejects calls from inside an exclusive job only', async () => {
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

  it('the mutex yields after 4 ms', async () => {
    const mutex = connectionMutex();
    await mutex.yieldTurn();
    expect(mutex.isYieldDue()).toBe(false);
    await sleep(15);
    expect(mutex.isYieldDue()).toBe(true);
    await mutex.yieldTurn();
    expect(mutex.isYieldDue()).toBe(false);
  });
});
