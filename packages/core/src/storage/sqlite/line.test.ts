import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { line } from './line.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('line', () => {
  it('runs exclusive jobs one after another in the order in which they came', async () => {
    const seats = line();
    const seen: string[] = [];
    const job = (name: string) => async () => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    };
    await Promise.all([seats.exclusive(job('a')), seats.exclusive(job('b'))]);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('lets an outside job wait for those that came before it', async () => {
    const seats = line();
    const seen: string[] = [];
    await Promise.all([
      seats.exclusive(async () => {
        await turn();
        seen.push('first');
      }),
      seats.outside(() => seen.push('outside')),
      seats.exclusive(async () => {
        seen.push('second');
      }),
    ]);
    expect(seen).toEqual(['first', 'outside', 'second']);
  });

  it('runs an outside job at once while nobody has the connection', async () => {
    const seats = line();
    await seats.rest();
    let hasRun = false;
    const running = seats.outside(() => {
      hasRun = true;
    });
    expect(hasRun).toBe(true);
    await running;
  });

  it('goes on after jobs that throw', async () => {
    const seats = line();
    const refuse = async (): Promise<never> => Promise.reject(new Error('refused'));
    const thrown = Promise.allSettled([seats.exclusive(refuse), seats.exclusive(refuse)]);
    const after = seats.exclusive(async () => 'after');
    expect((await thrown).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await after).toBe('after');
    expect(await seats.outside(() => 'outside')).toBe('outside');
  });

  it('refuses to be joined from inside an exclusive job, and from there only', async () => {
    const seats = line();
    const over = Promise.withResolvers<void>();
    const { later } = await seats.exclusive(async () => {
      await expect(seats.outside(() => undefined)).rejects.toThrow('inside a transaction');
      await expect(seats.exclusive(async () => undefined)).rejects.toThrow('inside a transaction');
      expect(seats.refuseInside).toThrow('inside a transaction');
      return { later: over.promise.then(() => seats.outside(() => 'left running')) };
    });
    over.resolve();
    expect(await later).toBe('left running');
  });

  it('is tired after 10 ms without a rest', async () => {
    const seats = line();
    await seats.rest();
    expect(seats.isTired()).toBe(false);
    await sleep(15);
    expect(seats.isTired()).toBe(true);
    await seats.rest();
    expect(seats.isTired()).toBe(false);
  });
});
