// Which variant somebody gets. A pure function of the test and of them, so that it is the same on every process, for every
// send that names the test, and whatever was sent to them before.

import { sha256Bytes } from './hash.ts';

/** Buckets that weights are shares of. Source: interface, A/B test. */
const BUCKETS = 100;
/** What weights may miss of their sum. Source: semantics, A/B buckets. */
export const WEIGHT_TOLERANCE = 1e-9;

/**
 * The bucket of a subject in a test, 0 to 99: SHA-256 over both, as one unsigned number, modulo 100. Horner's rule keeps it
 * exact; the digest as a floating-point number would not be. No separator and no Unicode normalisation. Throws nothing.
 *
 * Source: interface, A/B test; semantics, A/B buckets.
 */
export const bucketOf = (testId: string, subject: string): number => {
  const bytes = sha256Bytes(`${testId}${subject}`);
  let rest = 0;
  for (let at = 0; at < bytes.length; at += 1) rest = (rest * 256 + bytes.charCodeAt(at)) % BUCKETS;
  return rest;
};

/** The place of the variant whose share holds the bucket; of weights that sum to less, the last one with any. */
const placeOf = (weights: readonly number[], bucket: number): number => {
  let sum = 0;
  for (const [place, weight] of weights.entries()) {
    sum += weight;
    // A sum that misses a whole number by a rounding error ends where the number does.
    if (sum - WEIGHT_TOLERANCE > bucket) return place;
  }
  return weights.findLastIndex((weight) => weight > 0);
};

/** The variants in their order: that whose running sum of weights is the first above the bucket. Throws nothing. */
export const variantAt = <Variant extends { readonly weight: number }>(
  variants: readonly Variant[],
  bucket: number,
): Variant | undefined =>
  variants[
    placeOf(
      variants.map(({ weight }) => weight),
      bucket,
    )
  ];

/** The variant of each of the 100 buckets, for whoever asks for many. Throws nothing. */
export const variantsByBucket = <Variant extends { readonly weight: number }>(
  variants: readonly Variant[],
): readonly (Variant | undefined)[] => Array.from({ length: BUCKETS }, (_, bucket) => variantAt(variants, bucket));

/** How many of the 100 buckets each variant has: what figures are compared with, since buckets are whole. Throws nothing. */
export const sharesOf = (weights: readonly number[]): readonly number[] => {
  const shares = weights.map(() => 0);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const place = placeOf(weights, bucket);
    shares[place] = (shares[place] ?? 0) + 1;
  }
  return shares;
};
