import { normalBound } from './special.ts';

/** A number of hits out of a total. */
export type Share = { readonly hits: number; readonly of: number };
export type Interval = readonly [low: number, high: number];

const Z95 = normalBound(0.05);

/**
 * Score interval of a rate; accurate for few cases and for rates near 0 and 1, unlike the normal interval. 0 to 1
 * without cases. Throws nothing.
 *
 * Source: Wilson 1927; Newcombe 1998 (Statistics in Medicine 17:857), method 3.
 */
export const wilson = ({ hits, of }: Share, z = Z95): Interval => {
  if (of <= 0) return [0, 1];
  const rate = hits / of;
  const spread = z * Math.sqrt(z * z + 4 * of * rate * (1 - rate));
  const [middle, whole] = [2 * of * rate + z * z, 2 * (of + z * z)];
  return [
    hits === 0 ? 0 : Math.max(0, (middle - spread) / whole),
    hits === of ? 1 : Math.min(1, (middle + spread) / whole),
  ];
};

/**
 * Interval of the difference between two rates. Throws nothing.
 *
 * Source: Newcombe 1998 (Statistics in Medicine 17:873), method 10, of Wilson's intervals.
 */
export const newcombe = (one: Share, other: Share, z = Z95): Interval => {
  if (one.of <= 0 || other.of <= 0) return [-1, 1];
  const [p, q] = [one.hits / one.of, other.hits / other.of];
  const [[low1, high1], [low2, high2]] = [wilson(one, z), wilson(other, z)];
  return [p - q - Math.hypot(p - low1, high2 - q), p - q + Math.hypot(high1 - p, q - low2)];
};
