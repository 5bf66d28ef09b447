/**
 * If the ratio of the greatest to the smallest value is above this, a series means nothing. Source: performance design,
 * rules.
 */
export const UNSTABLE_SPREAD = 2;

/** The quantile for a share (0 to 1) of a sorted list; NaN for an empty one. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted.length === 0 ? Number.NaN : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

/** Seconds of one stretch. Chosen: long enough for recurring work of a service, such as a WAL checkpoint. */
const STRETCH_SECONDS = 1;

/** A p99, and that of all waits at once, in the unit of the waits; NaN without waits. */
export type Tail = { readonly p99: number; readonly ofAll: number };

/**
 * The p99 of waits in order of arrival over this many seconds: the median of the p99s of one-second stretches. A disk
 * that stalls for a moment would decide the p99 of all of them, and a ratio of two would only tell when it stalled.
 */
export const tailOf = (waits: readonly number[], seconds: number): Tail => {
  const p99Of = (some: readonly number[]): number =>
    quantile(
      some.toSorted((a, b) => a - b),
      0.99,
    );
  const count = Math.max(1, Math.round(seconds / STRETCH_SECONDS));
  const edge = (at: number): number => Math.round((at * waits.length) / count);
  const stretches = Array.from({ length: count }, (_, at) => waits.slice(edge(at), edge(at + 1)));
  return { p99: median(stretches.filter(({ length }) => length > 0).map(p99Of)), ofAll: p99Of(waits) };
};

/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half)
    ? ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2
    : (sorted[Math.floor(half)] ?? Number.NaN);
};

/** Greatest divided by smallest. */
export const spread = (values: readonly number[]): number => Math.max(...values) / Math.min(...values);

/** True for a series that must be measured again. */
export const isUnstable = (values: readonly number[]): boolean => !(spread(values) <= UNSTABLE_SPREAD);

/** The ratio in each round. */
export const ratios = (values: readonly number[], bases: readonly number[]): number[] =>
  values.map((value, round) => value / (bases[round] ?? Number.NaN));

/** Numbers from 0 to below 1 that are the same in every run (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Ranks from 0 to below `count`, rank r in proportion to 1 / (r + 1): Zipf with exponent 1. */
export const zipfRanks = (count: number, random: () => number): (() => number) => {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};
