import { describe, expect, it } from 'vitest';
import { newcombe, wilson } from './intervals.ts';
import { betaI, chiSquaredTail, lnGamma, normalBound } from './special.ts';

describe('special functions', () => {
  it('lnGamma equals known factorials and the root of pi', () => {
    expect(lnGamma(1)).toBeCloseTo(0, 12);
    expect(lnGamma(11)).toBeCloseTo(Math.log(3_628_800), 10);
    expect(lnGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 12);
  });

  /** Source: Abramowitz and Stegun, table 26.8 (upper percentage points). */
  it.each([
    [3.84146, 1, 0.05],
    [6.6349, 1, 0.01],
    [10.828, 1, 0.001],
    [5.99146, 2, 0.05],
    [13.816, 2, 0.001],
    [18.307, 10, 0.05],
    [124.342, 100, 0.05],
  ])('a chi-squared value of at least %f with %i degrees of freedom has probability %f', (chi2, degrees, chance) => {
    expect(chiSquaredTail(chi2, degrees)).toBeCloseTo(chance, 4);
  });

  it('a chi-squared value without spread has probability 1', () => {
    expect(chiSquaredTail(0, 3)).toBe(1);
    expect(chiSquaredTail(0, 0)).toBe(1);
  });

  /** Source: Abramowitz and Stegun, table 26.5. */
  it.each([
    [0.05, 1.959964],
    [0.01, 2.575829],
    [0.001, 3.290527],
  ])('a share of %f of normal values lies outside of %f deviations', (outside, bound) => {
    expect(normalBound(outside)).toBeCloseTo(bound, 5);
  });

  it('betaI of whole numbers equals a sum of binomial probabilities', () => {
    // I(x; a, b) is the probability of at least a hits in a + b - 1 trials of probability x.
    const choose = (n: number, k: number): number => Math.exp(lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1));
    for (const [a, b, x] of [
      [1, 1, 0.3],
      [2, 5, 0.1],
      [20, 30, 0.45],
      [300, 700, 0.29],
    ] as const) {
      const tries = a + b - 1;
      let sum = 0;
      for (let hits = a; hits <= tries; hits += 1) sum += choose(tries, hits) * x ** hits * (1 - x) ** (tries - hits);
      expect(betaI(a, b, x)).toBeCloseTo(sum, 9);
    }
    expect([betaI(2, 3, 0), betaI(2, 3, 1)]).toEqual([0, 1]);
  });
});

describe('confidence intervals', () => {
  /** Source: Newcombe 1998, Statistics in Medicine 17:857, table I, method 3. */
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("the Wilson interval of %i of %i equals Newcombe's table", (hits, of, low, high) => {
    const [from, to] = wilson({ hits, of });
    expect(from).toBeCloseTo(low, 4);
    expect(to).toBeCloseTo(high, 4);
  });

  it('the interval of all hits reaches 1, and without cases it is 0 to 1', () => {
    expect(wilson({ hits: 20, of: 20 })[1]).toBe(1);
    expect(wilson({ hits: 0, of: 0 })).toEqual([0, 1]);
    expect(newcombe({ hits: 0, of: 0 }, { hits: 1, of: 2 })).toEqual([-1, 1]);
  });

  /** Source: Newcombe 1998, Statistics in Medicine 17:873, table II, method 10. */
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [10, 10, 0, 20, 0.6791, 1],
  ])(
    "the interval of the difference between %i of %i and %i of %i equals Newcombe's table",
    (a, m, b, n, low, high) => {
      const [from, to] = newcombe({ hits: a, of: m }, { hits: b, of: n });
      expect(from).toBeCloseTo(low, 4);
      expect(to).toBeCloseTo(high, 4);
    },
  );
});
