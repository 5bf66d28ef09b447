import { describe, expect, it } from 'vitest';
import { keyParams, variesAt } from './key-list.ts';

const plain = { isPlain: true, encode: (value: unknown) => value };
const packed = { isPlain: false, encode: (value: unknown) => `<${String(value)}>` };

describe('the list of keys', () => {
  it('finds the only place in which keys differ, of equal ones the last', () => {
    expect(
      variesAt([
        [1, 'a', 'push'],
        [1, 'b', 'push'],
        [1, 'a', 'push'],
      ]),
    ).toBe(1);
    expect(
      variesAt([
        [1, 'a'],
        [2, 'a'],
      ]),
    ).toBe(0);
    expect(variesAt([[1, 'a']])).toBe(1);
    expect(variesAt([])).toBeNull();
  });

  it('finds none where they differ in several, be it not in the same two keys', () => {
    const keys = [
      [1, 'a', 'x'],
      [1, 'b', 'x'],
      [1, 'a', 'y'],
    ];
    expect(variesAt(keys)).toBeNull();
  });

  it('binds what is equal in all keys behind the list of what is not', () => {
    const keys = [
      [1, 'a', 'x'],
      [1, 'b', 'x'],
    ];
    expect(keyParams([plain, plain, packed], keys, 1)).toEqual(['["a","b"]', 1, '<x>']);
    expect(keyParams([plain, packed, plain], keys, 1)).toEqual(['["<a>","<b>"]', 1, 'x']);
    expect(keyParams([plain, plain, packed], keys, null)).toEqual(['[[1,"a","<x>"],[1,"b","<x>"]]']);
  });
});
