import { describe, expect, it } from 'vitest';
import { StorageError, timeoutOf } from '../../database/errors.ts';
import { lockWaits } from '../../database/in-time.ts';
import { deadlineMs } from '../../foundation/deadline.ts';
import type { Settled } from './in-budgets.ts';
import { inBudgets as flushInBudgets } from './in-budgets.ts';

type Item = { readonly name: string; readonly untilMs: number };

/** What each is told, in the order of the items. */
const inBudgets = async (
  items: readonly Item[],
  flush: (part: readonly Item[]) => Promise<readonly Settled<string>[]>,
): Promise<(Settled<string> | undefined)[]> => {
  const told = new Map<Item, Settled<string> | undefined>();
  await flushInBudgets(items, flush, (one, result) => {
    expect(told.has(one)).toBe(false);
    told.set(one, result ?? undefined);
  });
  expect(told.size).toBe(items.length);
  return items.map((one) => told.get(one));
};
const item = (name: string, leftMs: number): Item => ({ name, untilMs: performance.now() + leftMs });
const stored = (items: readonly Item[]): Settled<string>[] => items.map(({ name }) => ({ ok: true, value: name }));
const failed = (items: readonly Item[], code: string): Settled<string>[] =>
  items.map(() => ({ ok: false, error: new StorageError(code) }));
const codes = (results: readonly (Settled<string> | undefined)[]): unknown[] =>
  results.map((one) => (one?.ok ? one.value : one?.error instanceof StorageError ? one.error.code : one));

describe('inBudgets', () => {
  it('flushes all together within the first deadline among them', async () => {
    const items = [item('a', 60_000), item('b', 30_000), item('c', Number.POSITIVE_INFINITY)];
    const ends: number[] = [];
    const results = await inBudgets(items, async (part) => {
      ends.push(deadlineMs());
      return stored(part);
    });
    expect(ends).toEqual([items[1]?.untilMs]);
    expect(codes(results)).toEqual(['a', 'b', 'c']);
  });

  it('gives what serves nobody with a deadline all the time there is', async () => {
    await inBudgets([item('a', Number.POSITIVE_INFINITY)], async (part) => {
      expect(deadlineMs()).toBe(Number.POSITIVE_INFINITY);
      return stored(part);
    });
  });

  it('takes out before the flush whoever has no time left, and calls nothing for nobody', async () => {
    const flushed: string[] = [];
    const flush = async (part: readonly Item[]): Promise<Settled<string>[]> => {
      flushed.push(...part.map(({ name }) => name));
      return stored(part);
    };
    expect(codes(await inBudgets([item('late', 50), item('a', 9_000)], flush))).toEqual(['DEADLINE', 'a']);
    expect(codes(await inBudgets([item('late', -1)], flush))).toEqual(['DEADLINE']);
    expect(flushed).toEqual(['a']);
  });

  it('goes on with those who have more time than the one whose deadline ended the flush', async () => {
    const rounds: string[][] = [];
    const items = [item('short', 230), item('stored', 230), item('long', 60_000)];
    const results = await inBudgets(items, async (part) => {
      rounds.push(part.map(({ name }) => name));
      if (rounds.length > 1) return stored(part);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return part.map(({ name }) =>
        name === 'stored' ? { ok: true, value: name } : { ok: false, error: new StorageError('55P03') },
      );
    });
    expect(rounds).toEqual([['short', 'stored', 'long'], ['long']]);
    expect(codes(results)).toEqual(['55P03', 'stored', 'long']);
  });

  it("flushes once what timed out before anybody's deadline, and what failed otherwise", async () => {
    for (const code of ['55P03', '57014', '23505']) {
      let calls = 0;
      const results = await inBudgets([item('a', 60_000)], async (part) => {
        calls += 1;
        return failed(part, code);
      });
      expect([calls, ...codes(results)]).toEqual([1, code]);
    }
  });

  it('tells whose time is over at once, and not when the others are done', async () => {
    const free = Promise.withResolvers<void>();
    const told: string[] = [];
    const flush = async (part: readonly Item[]): Promise<Settled<string>[]> => {
      await free.promise;
      return stored(part);
    };
    const done = flushInBudgets([item('late', 0), item('a', 60_000)], flush, ({ name }) => told.push(name));
    expect(told).toEqual(['late']);
    free.resolve();
    await done;
    expect(told).toEqual(['late', 'a']);
  });

  it('tells whose time ended behind a flush that waited for a lock that it was the lock, and nobody else', async () => {
    const waits = lockWaits();
    const told: unknown[] = [];
    const settle = (_: Item, result: Settled<string> | null | undefined): void => {
      told.push(codes([result ?? undefined])[0]);
    };
    await flushInBudgets([item('slow', 0)], async (part) => stored(part), settle, waits);
    expect(told).toEqual(['DEADLINE']);
    const locked = async (part: readonly Item[]): Promise<Settled<string>[]> => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      return failed(part, '55P03');
    };
    await flushInBudgets([item('first', 60_000)], locked, settle, waits);
    await flushInBudgets([item('behind', -1)], async (part) => stored(part), settle, waits);
    expect(told).toEqual(['DEADLINE', '55P03', 'LOCK_WAIT']);
    expect(timeoutOf(new StorageError('LOCK_WAIT'))).toBe('LOCK_TIMEOUT');
  });
});
