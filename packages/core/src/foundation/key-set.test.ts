import { describe, expect, it } from 'vitest';
import { keySet } from './key-set.ts';

describe('keySet', () => {
  it('a key set contains exactly the added keys, through every growth', () => {
    const set = keySet();
    const [added, others] = [0, 1].map((kind) =>
      Array.from({ length: 20_000 }, (_, at) => `${kind}/p${at}@example.com`),
    );
    for (const key of added ?? []) {
      expect(set.has(key)).toBe(false);
      set.add(key);
      set.add(key);
    }
    expect((added ?? []).filter((key) => !set.has(key))).toEqual([]);
    expect((others ?? []).filter((key) => set.has(key))).toEqual([]);
  });

  it('a key set distinguishes the empty text from no entry', () => {
    const set = keySet();
    expect(set.has('')).toBe(false);
    set.add('');
    expect([set.has(''), set.has(' ')]).toEqual([true, false]);
  });
});
