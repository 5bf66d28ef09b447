import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcomeWriter } from './committing.ts';

const row = { scopeId: 1, id: 'r', fence: 1 };

const open = (gatherMs?: number) => {
  const writes: number[][] = [];
  const log = { warn: vi.fn(), error: vi.fn() };
  const work = {
    name: 'rows',
    commit: async (outcomes: readonly number[]) => void writes.push([...outcomes]),
    ...(gatherMs === undefined ? {} : { gatherMs }),
  };
  const outcomes = outcomeWriter<typeof row, number>(work, log, () => undefined);
  return { writes, add: (outcome: number) => outcomes.add(row, outcome) };
};

describe('outcomes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('outcomes are written as they arrive, those of one turn together', async () => {
    const { writes, add } = open();
    for (const outcome of [1, 2]) add(outcome);
    await vi.advanceTimersByTimeAsync(1);
    add(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes).toEqual([[1, 2], [3]]);
  });

  it('outcomes that arrive one by one share a write, and the first after a pause does not wait', async () => {
    const { writes, add } = open(10);
    for (const outcome of [1, 2, 3, 4]) {
      add(outcome);
      await vi.advanceTimersByTimeAsync(2);
    }
    expect(writes).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(20);
    expect(writes).toEqual([[1], [2, 3, 4]]);
    add(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes).toEqual([[1], [2, 3, 4], [5]]);
  });
});
