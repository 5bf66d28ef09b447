import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageError, timeoutOf } from '../../database/errors.ts';
import { deadlineMs, untilDeadline } from '../../foundation/deadline.ts';
import { type BatcherOptions, batcher, type Settled } from './batcher.ts';

type Item = { readonly name: string; readonly untilMs: number };

/** A batcher whose items are submitted with deadlines; records outcomes as they arrive. */
const open = (flush: BatcherOptions<Item, string>['flush']) => {
  const { submit } = batcher<Item, string>({ flush });
  const outcomes: string[] = [];
  const note = (outcome: string): string => {
    outcomes.push(outcome);
    return outcome;
  };
  const codeOf = (error: unknown): string => (error instanceof StorageError ? `${error.code}` : `${error}`);
  return {
    outcomes,
    /** Name or error code of each item, in the order of the items. */
    submitAll: async (...items: readonly Item[]): Promise<string[]> => {
      const submitted = items.map((item) =>
        untilDeadline(item.untilMs, () => submit(item)).then(note, (error: unknown) => note(codeOf(error))),
      );
      await vi.advanceTimersByTimeAsync(400);
      return Promise.all(submitted);
    },
  };
};
const item = (name: string, leftMs: number): Item => ({ name, untilMs: performance.now() + leftMs });
const stored = (items: readonly Item[]): Settled<string>[] => items.map(({ name }) => ({ ok: true, value: name }));
const failed = (items: readonly Item[], code: string): Settled<string>[] =>
  items.map(() => ({ ok: false, error: new StorageError(code) }));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a batcher whose callers have deadlines', () => {
  it('a batcher flushes items together within their earliest deadline', async () => {
    const items = [item('a', 60_000), item('b', 30_000), item('c', Number.POSITIVE_INFINITY)];
    const deadlines: number[] = [];
    const { submitAll } = open(async (batch) => {
      deadlines.push(deadlineMs());
      return stored(batch);
    });
    expect(await submitAll(...items)).toEqual(['a', 'b', 'c']);
    expect(deadlines).toEqual([items[1]?.untilMs]);
  });

  it('a flush has no deadline if no item has one', async () => {
    const deadlines: number[] = [];
    const { submitAll } = open(async (batch) => {
      deadlines.push(deadlineMs());
      return stored(batch);
    });
    await submitAll(item('a', Number.POSITIVE_INFINITY));
    expect(deadlines).toEqual([Number.POSITIVE_INFINITY]);
  });

  it("added items do not get the caller's deadline", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const { add } = batcher<Item>({
      flush: async () => {
        resolve(deadlineMs());
        return [];
      },
    });
    await untilDeadline(performance.now() + 50, async () => add(item('a', 0)));
    await vi.runAllTimersAsync();
    expect(await promise).toBe(Number.POSITIVE_INFINITY);
  });

  it('items without time left before the flush fail, and nothing is flushed if none remain', async () => {
    const flushed: string[] = [];
    const { submitAll } = open(async (batch) => {
      flushed.push(...batch.map(({ name }) => name));
      return stored(batch);
    });
    expect(await submitAll(item('late', 50), item('a', 9_000))).toEqual(['DEADLINE', 'a']);
    expect(await submitAll(item('late', -1))).toEqual(['DEADLINE']);
    expect(flushed).toEqual(['a']);
  });

  it('items with more time than the one whose deadline ended the flush are flushed again', async () => {
    const flushes: string[][] = [];
    const { submitAll } = open(async (batch) => {
      flushes.push(batch.map(({ name }) => name));
      if (flushes.length > 1) return stored(batch);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return batch.map(({ name }) =>
        name === 'stored' ? { ok: true, value: name } : { ok: false, error: new StorageError('55P03') },
      );
    });
    const items = [item('short', 450), item('stored', 450), item('long', 60_000)];
    expect(await submitAll(...items)).toEqual(['55P03', 'stored', 'long']);
    expect(flushes).toEqual([['short', 'stored', 'long'], ['long']]);
  });

  it('a flush that timed out before any deadline, or failed otherwise, is not repeated', async () => {
    for (const code of ['55P03', '57014', '23505']) {
      let flushes = 0;
      const { submitAll } = open(async (batch) => {
        flushes += 1;
        return failed(batch, code);
      });
      expect([await submitAll(item('a', 60_000)), flushes]).toEqual([[code], 1]);
    }
  });

  it('a late item fails at once, before the others are flushed', async () => {
    const held = Promise.withResolvers<void>();
    const { submitAll, outcomes } = open(async (batch) => {
      await held.promise;
      return stored(batch);
    });
    const done = submitAll(item('late', 0), item('a', 60_000));
    await vi.advanceTimersByTimeAsync(1);
    expect(outcomes).toEqual(['DEADLINE']);
    held.resolve();
    await done;
    expect(outcomes).toEqual(['DEADLINE', 'a']);
  });

  it('only items whose time ended during a flush that waited for a lock get a lock timeout', async () => {
    let isLocked = false;
    const { submitAll } = open(async (batch) => {
      if (!isLocked) return stored(batch);
      await new Promise((resolve) => setTimeout(resolve, 80));
      return failed(batch, '55P03');
    });
    expect(await submitAll(item('slow', 0))).toEqual(['DEADLINE']);
    isLocked = true;
    expect(await submitAll(item('first', 60_000))).toEqual(['55P03']);
    isLocked = false;
    expect(await submitAll(item('behind', -1))).toEqual(['LOCK_WAIT']);
    expect(timeoutOf(new StorageError('LOCK_WAIT'))).toBe('LOCK_TIMEOUT');
  });

  it('a flush of added items that throws causes a warning, and the next flush runs', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    let isDown = true;
    const flushed: number[] = [];
    const { add, settled } = batcher<number>({
      flush: async (items) => {
        if (isDown) throw new Error('away');
        flushed.push(...items);
        return [];
      },
    });
    add(1);
    await vi.runAllTimersAsync();
    await settled();
    expect(warn.mock.calls).toEqual([[new Error('away')]]);
    isDown = false;
    add(2);
    await vi.runAllTimersAsync();
    expect(flushed).toEqual([2]);
  });
});
