import { describe, expect, it } from 'vitest';
import { bucketOf, sharesOf, variantAt } from './ab-bucket.ts';

const T1 = 'ab_00000000-0000-4000-8000-000000000001';
const T2 = 'ab_00000000-0000-4000-8000-000000000002';
const T3 = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Test, subject, bucket, and the variants of 50/50, 33/33/34 and 1/99. Source: semantics, A/B buckets. */
const VECTORS: readonly (readonly [test: string, subject: string, bucket: number, variants: string])[] = [
  [T1, 'user_1', 41, 'ABB'],
  [T1, 'user_2', 85, 'BCB'],
  [T1, 'user_3', 21, 'AAB'],
  [T1, 'user_4', 59, 'BBB'],
  [T1, 'user_5', 80, 'BCB'],
  [T2, 'user_1', 97, 'BCB'],
  [T2, 'user_2', 22, 'AAB'],
  [T3, '8f14e45f-ceea-467f-a0e6-7b1f6f0b1c2d', 81, 'BCB'],
  [T3, 'alice@example.com', 28, 'AAB'],
  [T3, 'Alice@example.com', 66, 'BCB'],
  ['test', 'user', 96, 'BCB'],
  ['tes', 'tuser', 96, 'BCB'],
  ['a', '', 99, 'BCB'],
  ['', 'a', 99, 'BCB'],
  ['exp-1', '\u00fcn\u00efc\u00f8d\u00e9', 19, 'AAB'],
  ['exp-1', 'u\u0308ni\u0308co\u0308de', 39, 'ABB'],
  ['exp-1', '\u65e5\u672c\u8a9e\u30e6\u30fc\u30b6\u30fc', 55, 'BBB'],
  ['exp-1', '\u{1F600}', 8, 'AAB'],
  ['exp-1', '0', 31, 'AAB'],
  ['exp-1', 'x'.repeat(200), 60, 'BBB'],
];
const weighted = (...weights: number[]) => weights.map((weight, at) => ({ weight, key: 'ABC'.charAt(at) }));
const COLUMNS = [weighted(50, 50), weighted(33, 33, 34), weighted(1, 99)];

describe('bucketOf', () => {
  it.each(VECTORS)(
    'the bucket of test %s and subject %s is %i, and the variants are %s',
    (test, subject, bucket, variants) => {
      expect(bucketOf(test, subject)).toBe(bucket);
      expect(COLUMNS.map((column) => variantAt(column, bucket)?.key).join('')).toBe(variants);
    },
  );

  it('bucketOf hashes the text as it is, without Unicode normalisation', () => {
    expect(bucketOf('exp-1', '\u00fcn\u00efc\u00f6de')).toBe(96);
  });

  it('bucketOf spreads 100,000 subjects evenly', () => {
    const counts = Array.from({ length: 100 }, () => 0);
    for (let at = 0; at < 100_000; at += 1) {
      const bucket = bucketOf(T1, `user_${at}`);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    const chi2 = counts.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
    // Chi-squared value of 99 degrees of freedom at p = 0.001.
    expect(chi2).toBeLessThan(148.23);
  });
});

describe('variantAt', () => {
  const shares = (...weights: number[]) => sharesOf(weights);

  it('variantAt returns the first variant whose sum of weights is above the bucket', () => {
    expect([0, 32, 33, 65, 66, 99].map((bucket) => variantAt(COLUMNS[1] ?? [], bucket)?.key).join('')).toBe('AABBCC');
    expect(shares(33.33, 33.33, 33.34)).toEqual([34, 33, 33]);
  });

  it('variantAt never returns a variant of weight 0', () => {
    expect(shares(0, 100, 0)).toEqual([0, 100, 0]);
    expect(shares(50, 0, 50)).toEqual([50, 0, 50]);
  });

  it('a rounding error of the weights does not change the variant', () => {
    expect(shares(10.1, 9.9, 80)).toEqual([11, 9, 80]);
    const tenths = [28.6, 28.4, 43].map((weight) => weight + 1e-12);
    expect(shares(...tenths)).toEqual([29, 28, 43]);
    expect(variantAt(weighted(50, 50 - 1e-10), 99)?.key).toBe('B');
  });
});
