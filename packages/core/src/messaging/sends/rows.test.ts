import { describe, expect, it } from 'vitest';
import { isFirst } from './rows.ts';

describe('the address of a new message', () => {
  it('may be used once in a send', () => {
    const seen = new Set<string>();
    expect(['a', 'b', 'a'].map((key) => isFirst(key, seen))).toEqual([true, true, false]);
  });
});
