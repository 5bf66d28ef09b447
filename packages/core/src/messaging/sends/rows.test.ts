import { describe, expect, it } from 'vitest';
import { isFirst } from './rows.ts';

describe('isFirst', () => {
  it('an address is used once per send', () => {
    const seen = new Set<string>();
    expect(['a', 'b', 'a'].map((key) => isFirst(key, seen))).toEqual([true, true, false]);
  });
});
