import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/support/seeded.ts';
import { type Did, type Reached, reachedOf } from './chain.ts';

const WINDOW = { steps: 3, windowMs: 100, fromMs: 0, toMs: 1_000 };
const did = (...given: readonly (readonly [ms: number, steps: number])[]): Did[] =>
  given.map(([ms, steps]) => ({ ms, steps }));

/** The furthest step over all ways to assign events to steps. */
const furthest = (all: readonly Did[], { steps, windowMs, fromMs, toMs }: typeof WINDOW): number => {
  const sorted = [...all].sort((a, b) => a.ms - b.ms || a.steps - b.steps);
  const from = (at: number, step: number, startMs: number): number => {
    let best = step;
    if (step + 1 === steps) return best;
    for (let next = at + 1; next < sorted.length; next += 1) {
      const one = sorted[next];
      if (one && (one.steps & (1 << (step + 1))) !== 0 && one.ms - startMs <= windowMs)
        best = Math.max(best, from(next, step + 1, startMs));
    }
    return best;
  };
  return Math.max(
    -1,
    ...sorted.map(({ ms, steps: bits }, at) => ((bits & 1) !== 0 && ms >= fromMs && ms < toMs ? from(at, 0, ms) : -1)),
  );
};

describe('reachedOf', () => {
  it('the last step in order within the window counts', () => {
    expect(reachedOf(did([10, 1], [20, 2], [30, 4]), WINDOW)).toEqual({ step: 2, startMs: 10 });
    expect(reachedOf(did([10, 2], [20, 1], [30, 4]), WINDOW)).toEqual({ step: 0, startMs: 20 });
    expect(reachedOf(did([10, 1], [60, 2], [111, 4]), WINDOW)).toEqual({ step: 1, startMs: 10 });
    expect(reachedOf(did([10, 1], [60, 2], [110, 4]), WINDOW)).toEqual({ step: 2, startMs: 10 });
    expect(reachedOf(did([10, 4]), WINDOW)).toBeNull();
    expect(reachedOf(did([-1, 1], [1_000, 1]), WINDOW)).toBeNull();
  });

  it('every first step starts anew, and an event counts for one step only', () => {
    expect(reachedOf(did([10, 1], [90, 1], [95, 2], [150, 4]), WINDOW)).toEqual({ step: 2, startMs: 90 });
    expect(reachedOf(did([10, 3], [20, 3]), WINDOW)).toEqual({ step: 1, startMs: 10 });
    expect(reachedOf(did([10, 3]), WINDOW)).toEqual({ step: 0, startMs: 10 });
  });

  it('the result is the furthest of all assignments', () => {
    const random = seeded(11);
    let cases = 0;
    const stepOf = (reached: Reached | null): number => reached?.step ?? -1;
    for (let n = 0; n < 5_000; n += 1) {
      const all = Array.from({ length: 1 + Math.floor(random() * 9) }, (): Did => {
        return { ms: Math.floor(random() * 300) - 20, steps: 1 + Math.floor(random() * 7) };
      });
      expect(stepOf(reachedOf(all, WINDOW)), JSON.stringify(all)).toBe(furthest(all, WINDOW));
      cases += 1;
    }
    expect(cases).toBe(5_000);
  });
});
