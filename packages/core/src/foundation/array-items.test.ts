import { describe, expect, it } from 'vitest';
import { longArrayIn } from './array-items.ts';

const items = (count: number, item: unknown = 0) => Array.from({ length: count }, () => item);

describe('longArrayIn', () => {
  it('longArrayIn finds nothing if every array has at most 1,000 items', () => {
    for (const value of [null, 'x'.repeat(5_000), {}, [], items(1_000), { a: items(1_000, items(3)) }])
      expect(longArrayIn(value)).toBeNull();
  });

  it('longArrayIn returns the path of the first longer array, at any depth', () => {
    expect(longArrayIn({ a: 1, b: { c: [0, { d: items(1_001) }] }, e: items(2_000) })).toBe('b.c.1.d');
    expect(longArrayIn([items(1_001)], 'data')).toBe('data.0');
    expect(longArrayIn(items(1_001), 'x')).toBe('x');
  });

  it('longArrayIn stops at the depth limit of JSON', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(longArrayIn(deep)).toBeNull();
  });
});
