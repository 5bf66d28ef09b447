import { describe, expect, it } from 'vitest';
import { keyParams, variesAt } from './key-list.ts';

const plain = { isPlain: true, encode: (value: unknown) => value };
const packed = { isPlain: false, encode: (value: unknown) => `<${String(value)}>` };

describe('key list', () => {
  it('variesAt finds the only column in which keys differ, and the last one if all are equal', () => {
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

  it('variesAt returns null if several columns differ, even in different keys', () => {
    const keys = [
      [1, 'a', 'x'],
      [1, 'b', 'x'],
      [1, 'a', 'y'],
    ];
    expect(variesAt(keys)).toBeNull();
  });

  it('keyParams binds equal columns after the list of differing values', () => {
    const keys = [
      [1, 'a', 'x'],
      [1, 'b', 'x'],
    ];
    expect(keyParams([plain, plain, packed], keys, 1)).toEqual(['["a","b"]', 1, '<x>']);
    expect(keyParams([plain, packed, plain], keys, 1)).toEqual(['["<a>","<b>"]', 1, 'x']);
    expect(keyParams([plain, plain, packed], keys, null)).toEqual(['[[1,"a","<x>"],[1,"b","<x>"]]']);
  });
});
