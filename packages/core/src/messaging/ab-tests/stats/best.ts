import type { Share } from './intervals.ts';
import { betaI, lnBetaDensity } from './special.ts';

/** Nodes and weights of eight-point Gauss-Legendre quadrature on -1 to 1. Source: Abramowitz and Stegun, 25.4. */
const NODES = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const WEIGHTS = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];
/** Range of integration around a posterior's mean, and its steps, in standard deviations. */
const REACH = 10;
const STEP = 1;
/** Points closer than this share of the smallest deviation are merged: twenty posteriors may share a mean. */
const LEAST_GAP = 0.5;

type Posterior = { readonly a: number; readonly b: number };

/** Integration bounds between which every posterior is smooth: around each mean, denser for a narrow posterior. */
const boundsOf = (posteriors: readonly Posterior[]): readonly number[] => {
  const bounds = new Set<number>();
  let least = 1;
  for (const { a, b } of posteriors) {
    const mean = a / (a + b);
    const deviation = Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
    least = Math.min(least, deviation);
    for (let at = -REACH; at <= REACH; at += STEP) {
      const place = mean + at * deviation;
      if (place > 0 && place < 1) bounds.add(place);
    }
  }
  const distinct = [0];
  for (const bound of [...bounds].sort((one, other) => one - other))
    if (bound - (distinct.at(-1) ?? 0) >= least * LEAST_GAP) distinct.push(bound);
  return [...distinct, 1];
};

/**
 * Probability of each rate to be the greatest. Posteriors are Beta(1 + hits, 1 + misses), with uniform priors; P is the
 * integral of one density times the distribution functions of the others. Deterministic quadrature, accurate to 1e-6.
 * Throws nothing.
 */
export const probabilitiesToBeBest = (shares: readonly Share[]): readonly number[] => {
  const posteriors = shares.map(({ hits, of }): Posterior => ({ a: 1 + hits, b: 1 + of - hits }));
  const sums = posteriors.map(() => 0);
  const bounds = boundsOf(posteriors);
  /** Adds one node for all rates at once, because each needs the distribution functions of the others. */
  const add = (x: number, weight: number): void => {
    const below = posteriors.map(({ a, b }) => betaI(a, b, x));
    posteriors.forEach(({ a, b }, one) => {
      const density = Math.exp(lnBetaDensity(a, b, x));
      const others = below.reduce((product, chance, other) => (other === one ? product : product * chance), 1);
      sums[one] = (sums[one] ?? 0) + weight * density * others;
    });
  };
  for (const [at, low] of bounds.slice(0, -1).entries()) {
    const half = ((bounds[at + 1] ?? low) - low) / 2;
    NODES.forEach((node, place) => {
      const weight = half * (WEIGHTS[place] ?? 0);
      add(low + half * (1 - node), weight);
      add(low + half * (1 + node), weight);
    });
  }
  const total = sums.reduce((sum, one) => sum + one, 0);
  return sums.map((one) => one / total);
};
