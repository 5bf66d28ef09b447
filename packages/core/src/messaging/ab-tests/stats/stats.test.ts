import { describe, expect, it } from 'vitest';
import { probabilitiesToBeBest } from './best.ts';
import { lnGamma } from './special.ts';
import { figuresOf, srmOf, type VariantTally } from './stats.ts';

const tally = (key: string, weight: number, assigned: number, converted: number, more: Partial<VariantTally> = {}) => ({
  key,
  weight,
  assigned,
  reached: assigned,
  sent: assigned,
  delivered: 0,
  failed: 0,
  suppressed: 0,
  uniqueOpened: 0,
  uniqueClicked: 0,
  opened: 0,
  clicked: 0,
  converted,
  ...more,
});

/** Source: Miller, Formulas for Bayesian A/B testing: P(b > a), in closed form. */
const secondIsBetter = (hitsA: number, ofA: number, hitsB: number, ofB: number): number => {
  const [a1, b1, a2, b2] = [1 + hitsA, 1 + ofA - hitsA, 1 + hitsB, 1 + ofB - hitsB];
  const lnBeta = (a: number, b: number): number => lnGamma(a) + lnGamma(b) - lnGamma(a + b);
  let sum = 0;
  for (let i = 0; i < a2; i += 1)
    sum += Math.exp(lnBeta(a1 + i, b2 + b1) - Math.log(b2 + i) - lnBeta(1 + i, b2) - lnBeta(a1, b1));
  return sum;
};

describe('probabilitiesToBeBest', () => {
  const best = (...shares: (readonly [hits: number, of: number])[]) =>
    probabilitiesToBeBest(shares.map(([hits, of]) => ({ hits, of })));

  it.each([
    [0, 0, 0, 0],
    [10, 100, 20, 100],
    [200, 1_000, 230, 1_000],
    [3, 10, 3_000, 10_000],
    [0, 50, 1, 60],
    [5_000, 100_000, 5_050, 100_000],
    [1, 1_000_000, 5, 1_000_000],
    [50, 50, 40, 50],
  ])('the probability of %i of %i against %i of %i equals the closed form', (hitsA, ofA, hitsB, ofB) => {
    const [a = 0, b = 0] = best([hitsA, ofA], [hitsB, ofB]);
    expect(a + b).toBeCloseTo(1, 12);
    expect(b).toBeCloseTo(secondIsBetter(hitsA, ofA, hitsB, ofB), 6);
  });

  it('equal variants share the probability, and a single one has all of it', () => {
    for (const one of best([7, 40], [7, 40], [7, 40])) expect(one).toBeCloseTo(1 / 3, 9);
    expect(best([1, 2])).toEqual([1]);
    expect(best([5, 100], [95, 100])[1]).toBeCloseTo(1, 9);
  });

  it('twenty variants of a million users have probabilities that sum to 1', () => {
    const all = best(...Array.from({ length: 20 }, (_, at) => [50_000 + at * 40, 1_000_000] as const));
    expect(all.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
  });
});

describe('sample-ratio mismatch', () => {
  it('assignments are compared with the bucket shares', () => {
    expect(srmOf([tally('a', 50, 500, 0), tally('b', 50, 500, 0)])).toEqual({ chi2: 0, pValue: 1, warning: false });
    // A known case: 821,588 and 815,482 of 50/50. Source: Fabijan et al. 2019, Diagnosing sample ratio mismatch.
    const known = srmOf([tally('a', 50, 821_588, 0), tally('b', 50, 815_482, 0)]);
    expect(known.pValue).toBeLessThan(1.9e-6);
    expect(known.warning).toBe(true);
    // Buckets are whole, so these weights give 34, 33 and 33 of a hundred.
    expect(srmOf([tally('a', 33.33, 340, 0), tally('b', 33.33, 330, 0), tally('c', 33.34, 330, 0)]).chi2).toBeCloseTo(
      0,
      9,
    );
  });

  it('a probability below one in a thousand gives a warning, no users give none', () => {
    const of = (a: number, b: number) => srmOf([tally('a', 50, a, 0), tally('b', 50, b, 0)]).warning;
    // chi2 is (a - b)^2 / (a + b): 10.816 and 10.890; 10.828 is one in a thousand.
    expect([of(552, 448), of(552.2, 447.8), of(0, 0)]).toEqual([false, true, false]);
    expect(srmOf([tally('a', 0, 0, 0), tally('b', 100, 9, 0)])).toEqual({ chi2: 0, pValue: 1, warning: false });
  });
});

describe('test statistics', () => {
  it('statistics have rates of sent messages and lifts over the first variant', () => {
    const { variants, leader, significant } = figuresOf([
      tally('a', 50, 1_000, 100, { uniqueOpened: 250, uniqueClicked: 50 }),
      tally('b', 50, 1_000, 150, { reached: 750, sent: 1_500, uniqueOpened: 300 }),
    ]);
    expect(variants[0]).toMatchObject({ openRate: 0.25, clickRate: 0.05, conversionRate: 0.1, lift: null });
    expect(variants[1]).toMatchObject({ openRate: 0.2, conversionRate: 0.2 });
    expect(variants[1]?.lift).toBeCloseTo(1, 12);
    expect(variants[0]?.ci95[0]).toBeCloseTo(0.0829, 4);
    expect(leader).toBe('b');
    expect(significant).toBe(true);
  });

  it('without conversions or with a shared lead there is no leader and no significance', () => {
    for (const converted of [0, 10]) {
      const all = figuresOf([tally('a', 50, 100, converted), tally('b', 50, 100, converted)]);
      expect(all).toMatchObject({ leader: null, significant: false });
    }
    expect(figuresOf([tally('a', 100, 100, 5)])).toMatchObject({ leader: 'a', significant: false });
    const [, b] = figuresOf([tally('a', 50, 10, 0), tally('b', 50, 10, 3)]).variants;
    expect(b?.lift).toBeNull();
  });

  it('a result is significant if the leader differs from every other variant, with the error rate divided by the comparisons', () => {
    const two = [tally('a', 50, 1_000, 100), tally('b', 50, 1_000, 129)];
    expect(figuresOf(two).significant).toBe(true);
    expect(figuresOf([...two.map((one) => ({ ...one, weight: 33 })), tally('c', 34, 1_000, 100)]).significant).toBe(
      false,
    );
    expect(figuresOf([tally('a', 50, 1_000, 100), tally('b', 50, 1_000, 120)]).significant).toBe(false);
  });

  it('a result with a mismatch warning is never significant', () => {
    expect(figuresOf([tally('a', 50, 1_000, 100), tally('b', 50, 1_300, 400)])).toMatchObject({
      leader: 'b',
      significant: false,
      srm: { warning: true },
    });
  });
});
