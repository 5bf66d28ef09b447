import { describe, expect, it } from 'vitest';
import { sharedBudget } from './shared-budget.ts';

/** Limiters that each take all they can, one job after the other, round robin, until none gets any. */
const filled = (limiters: number, most: number) => {
  const budget = sharedBudget(most);
  const held = Array.from({ length: limiters }, () => 0);
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const [at, own] of held.entries()) {
      const taken = budget.take(own, 1);
      held[at] = own + taken;
      isMoving ||= taken > 0;
    }
  }
  return { budget, held, left: most - held.reduce((sum, own) => sum + own, 0) };
};

describe('sharedBudget', () => {
  it('a single limiter gets two thirds of the budget', () => {
    expect(filled(1, 1_792).held).toEqual([1_194]);
    expect(sharedBudget(1_792).take(0, 5_000)).toBe(1_194);
  });

  it('limiters get equal shares, and some budget is left for one more however many are full', () => {
    for (const limiters of [2, 3, 10, 100, 500]) {
      const { budget, held, left } = filled(limiters, 1_792);
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
      expect(left).toBeGreaterThan(0);
      expect(budget.take(0, 1)).toBe(1);
    }
  });

  it('a limiter above its share gets nothing until others return budget', () => {
    const budget = sharedBudget(300);
    expect(budget.take(0, 300)).toBe(200);
    expect(budget.take(0, 300)).toBe(66);
    expect(budget.take(200, 1)).toBe(0);
    for (let at = 0; at < 66 + 50; at += 1) budget.give();
    expect(budget.take(150, 100)).toBe(50);
  });
});
