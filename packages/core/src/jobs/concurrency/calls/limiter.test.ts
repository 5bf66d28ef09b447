import { describe, expect, it } from 'vitest';
import { callLimiter } from './limiter.ts';
import { type SharedBudget, sharedBudget } from './shared-budget.ts';

type Free = (tookMs: number | null) => void;

/** A limiter of two concurrent calls, its prepared and running jobs, and a function that ends one. */
const openLimiter = ({
  now = () => 2,
  most = 2,
  isAhead = false,
  ends = () => false,
  budget = sharedBudget(1_000),
  isFirst,
}: {
  now?: () => number;
  most?: number;
  isAhead?: boolean;
  ends?: (job: number) => boolean;
  budget?: SharedBudget;
  isFirst?: (job: number) => boolean;
} = {}) => {
  const prepared: number[][] = [];
  const begun: number[] = [];
  let free: Free | undefined;
  const own = callLimiter<number, number>({
    capacity: { now, most },
    budget,
    isAhead,
    isFirst,
    prepare: async (jobs) => {
      prepared.push([...jobs]);
      return jobs.filter((job) => !ends(job));
    },
    begin: (jobs, end) => {
      begun.push(...jobs);
      free = end;
    },
  });
  return { own, prepared, begun, end: (tookMs: number | null) => free?.(tookMs) };
};
const turn = async (): Promise<void> => {
  for (let at = 0; at < 4; at += 1) await new Promise((resolve) => setImmediate(resolve));
};
const jobs = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('callLimiter', () => {
  it('a limiter begins jobs up to its capacity, queues some in order and returns the others', async () => {
    const { own, prepared, begun, end } = openLimiter();
    const outside = own.add(jobs(100));
    expect(outside).toEqual(jobs(100).slice(2 + 64));
    await turn();
    expect(begun).toEqual([0, 1]);
    end(5);
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    expect(prepared).toEqual([[0, 1], [2]]);
  });

  it('a limiter begins jobs in order of arrival', async () => {
    const { own, begun, end } = openLimiter();
    own.add([0, 1, 2]);
    own.add([3, 4]);
    for (let at = 0; at < 3; at += 1) {
      await turn();
      end(5);
    }
    await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('jobs that go first are taken by a full limiter, and begin before the others that wait', async () => {
    const { own, begun, end } = openLimiter({ isFirst: (job) => job >= 1_000 });
    own.add(jobs(100));
    await turn();
    expect(own.add([100, 1_000, 101, 1_001])).toEqual([100, 101]);
    expect(own.add([1_002])).toEqual([]);
    for (let at = 0; at < 4; at += 1) {
      end(5);
      await turn();
    }
    expect(begun).toEqual([0, 1, 1_000, 1_001, 1_002, 2]);
  });

  it('a flood of jobs that go first is bounded, and waits for one another only', () => {
    const { own } = openLimiter({ isFirst: (job) => job >= 1_000 });
    own.add(jobs(100));
    const flood = jobs(100).map((job) => job + 1_000);
    expect(own.add(flood)).toEqual(flood.slice(64));
    const [others] = own.retryDelays(1, 0).concat(own.retryDelays(100_000, 0)).slice(-1);
    const [first] = own.retryDelays(1, 0, true);
    expect(first).toBeLessThanOrEqual(others ?? 0);
    expect(first).toBe(50);
  });

  it('jobs that go first and are withdrawn leave no place before later ones', async () => {
    const { own, begun, end } = openLimiter({ isFirst: (job) => job >= 1_000 });
    own.add([0, 1, 1_000, 1_001]);
    expect(own.withdraw().waiting).toEqual([1_000, 1_001, 0, 1]);
    own.add([2, 3, 4]);
    own.add([1_002]);
    await turn();
    end(5);
    await turn();
    expect(begun).toEqual([1_002, 2, 3]);
  });

  it('a limiter follows its current capacity as it grows and shrinks', async () => {
    let capacity = 2;
    const { own, begun, end } = openLimiter({ now: () => capacity, most: 10 });
    own.add(jobs(20));
    await turn();
    capacity = 10;
    end(5);
    await turn();
    expect(begun).toHaveLength(11);
    capacity = 1;
    for (let ended = 0; ended < 9; ended += 1) end(5);
    await turn();
    expect(begun).toHaveLength(11);
    end(5);
    await turn();
    expect(begun).toHaveLength(12);
  });

  it('a limiter passes the capacity of jobs that end before they begin to later jobs', async () => {
    const { own, begun } = openLimiter({ ends: (job) => job < 50 });
    own.add(jobs(60));
    await turn();
    for (let at = 0; at < 60; at += 1) await turn();
    expect(begun).toEqual([50, 51]);
    expect(own.add(jobs(100))).toHaveLength(100 - 56);
  });

  it('a limiter returns the budget of each ended job, also of one that never began', async () => {
    let taken = 0;
    const budget: SharedBudget = {
      take: (_, wanted) => {
        taken += wanted;
        return wanted;
      },
      give: () => {
        taken -= 1;
      },
    };
    const { own, begun, end } = openLimiter({ budget, ends: (job) => job < 5 });
    own.add(jobs(7));
    expect(taken).toBe(7);
    for (let at = 0; at < 5; at += 1) await turn();
    expect([begun, taken]).toEqual([[5, 6], 2]);
    end(5);
    end(5);
    expect(taken).toBe(0);
  });

  it('a limiter prepares no job ahead of its capacity if that is forbidden, however short calls are', async () => {
    const { own, prepared, begun, end } = openLimiter();
    own.add(jobs(66));
    for (let at = 0; at < 40; at += 1) {
      await turn();
      end(2);
      expect(prepared.flat().length).toBe(begun.length);
    }
  });

  it('a limiter prepares many short calls at once and begins no more than its capacity', async () => {
    const { own, prepared, begun, end } = openLimiter({ isAhead: true });
    own.add(jobs(66));
    for (let at = 0; at < 40; at += 1) {
      await turn();
      end(2);
      expect(begun.length - at).toBe(2);
    }
    // The first calls show how short they are.
    expect(prepared.length).toBeLessThan(16 + 5);
  });

  it('a limiter prepares no long call ahead of its capacity', async () => {
    const { own, prepared, begun, end } = openLimiter({ isAhead: true });
    own.add(jobs(66));
    for (let at = 0; at < 40; at += 1) {
      await turn();
      end(500);
      expect(prepared.flat().length).toBe(begun.length);
    }
  });

  it('a limiter defers jobs by the time of those before them, and returns some together', async () => {
    const { own, end } = openLimiter();
    own.add(jobs(66));
    await turn();
    for (let at = 0; at < 64; at += 1) {
      end(1_000);
      await turn();
    }
    // Two at once, one second each.
    expect(own.retryDelays(5, 0)).toEqual([1_000, 1_000, 2_000, 2_000, 3_000]);
  });

  it('a limiter learns no duration from a job that did not run, and frees its capacity', async () => {
    const { own, begun, end } = openLimiter();
    own.add(jobs(66));
    await turn();
    for (let at = 0; at < 32; at += 1) {
      end(1_000);
      await turn();
    }
    for (let at = 0; at < 32; at += 1) {
      end(null);
      await turn();
    }
    expect(begun).toHaveLength(66);
    // As before: two at once, most of a second each.
    expect(own.retryDelays(3, 0)[2]).toBeGreaterThan(1_000);
  });

  it('a limiter returns queued and prepared jobs, and their share of the budget', async () => {
    const budget = sharedBudget(1_000);
    const { own, begun, end } = openLimiter({ isAhead: true, budget });
    // After fast calls, jobs are prepared ahead of capacity.
    for (let at = 0; at < 20; at += 1) {
      own.add([at]);
      await turn();
      end(1);
      await turn();
    }
    own.add(jobs(100).map((job) => job + 100));
    await turn();
    expect(begun).toHaveLength(22);
    const { waiting, ready } = own.withdraw();
    expect(ready.length).toBeGreaterThan(0);
    expect([...begun.slice(20), ...ready, ...waiting]).toEqual(
      jobs(2 + ready.length + waiting.length).map((job) => job + 100),
    );
    expect(own.withdraw()).toEqual({ waiting: [], ready: [] });
    end(1);
    end(1);
    await turn();
    expect(begun).toHaveLength(22);
    expect(budget.take(0, 1_000)).toBe(sharedBudget(1_000).take(0, 1_000));
  });

  it('a limiter reports whether jobs end while others are deferred', async () => {
    const { own, end } = openLimiter();
    own.add(jobs(100));
    await turn();
    expect(own.isFlowing(0)).toBe(true);
    own.retryDelays(1, 1_000);
    expect([own.isFlowing(1_249), own.isFlowing(1_250)]).toEqual([true, false]);
    end(5);
    expect(own.isFlowing(9_000)).toBe(true);
  });

  it('a limiter defers jobs for longer and longer while no job ends', async () => {
    const { own, end } = openLimiter();
    own.add(jobs(66));
    await turn();
    const asked: number[] = [];
    for (let nowMs = 0; nowMs < 10_000; nowMs += own.retryDelays(1, nowMs)[0] ?? 0) asked.push(nowMs);
    expect(asked.length).toBeLessThanOrEqual(6);
    end(1);
    expect(own.retryDelays(1, 10_000)).toEqual([50]);
  });
});
