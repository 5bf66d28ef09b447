// Assigns a subject to a variant of an A/B test. It is a pure function of the test id and the subject, so every process
// and every send assigns the same variant.

import { sha256Bytes } from './hash.ts';

/** Number of buckets that the weights divide. Source: interface, A/B test. */
const BUCKETS = 100;
/** Tolerance for the sum of the weights. Source: semantics, A/B buckets. */
export const WEIGHT_TOLERANCE = 1e-9;

/**
 * The bucket of a subject in a test, 0 to 99: the SHA-256 of test id and subject as an unsigned integer, modulo 100.
 * Horner's rule keeps it exact; a floating-point number would not be. There is no separator and no Unicode
 * normalisation. Throws nothing.
 *
 * Source: interface, A/B test; semantics, A/B buckets.
 */
export const bucketOf = (testId: string, subject: string): number => {
  const bytes = sha256Bytes(`${testId}${subject}`);
  let remainder = 0;
  for (let at = 0; at < bytes.length; at += 1) remainder = (remainder * 256 + bytes.charCodeAt(at)) % BUCKETS;
  return remainder;
};

/**
 * The index of the variant whose share contains the bucket. If the weights sum to less than the bucket, the last
 * variant with a weight.
 */
const variantIndexOf = (weights: readonly number[], bucket: number): number => {
  let sum = 0;
  for (const [index, weight] of weights.entries()) {
    sum += weight;
    // Subtracting the tolerance corrects a sum that misses a whole number by a rounding error.
    if (sum - WEIGHT_TOLERANCE > bucket) return index;
  }
  return weights.findLastIndex((weight) => weight > 0);
};

/** The first variant whose running sum of weights is above the bucket. Throws nothing. */
export const variantAt = <Variant extends { readonly weight: number }>(
  variants: readonly Variant[],
  bucket: number,
): Variant | undefined =>
  variants[
    variantIndexOf(
      variants.map(({ weight }) => weight),
      bucket,
    )
  ];

/** The variant of each of the 100 buckets, for callers that assign many subjects. Throws nothing. */
export const variantsByBucket = <Variant extends { readonly weight: number }>(
  variants: readonly Variant[],
): readonly (Variant | undefined)[] => Array.from({ length: BUCKETS }, (_, bucket) => variantAt(variants, bucket));

/** Number of buckets of each variant: the expected shares, since buckets are whole. Throws nothing. */
export const sharesOf = (weights: readonly number[]): readonly number[] => {
  const shares = weights.map(() => 0);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const index = variantIndexOf(weights, bucket);
    shares[index] = (shares[index] ?? 0) + 1;
  }
  return shares;
};
