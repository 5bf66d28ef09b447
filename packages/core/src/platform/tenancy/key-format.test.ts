import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../foundation/scope.ts';
import { generateKey, hashKey, type KeyKind, lastFour, parseKey } from './key-format.ts';

const kinds: [KeyKind, Environment, string][] = [
  ['public', 'prod', 'pk_prod_'],
  ['secret', 'prod', 'sk_prod_'],
  ['public', 'test', 'pk_test_'],
  ['secret', 'test', 'sk_test_'],
];

describe('generateKey', () => {
  it.each(kinds)(
    'a generated %s key of %s has its prefix, 32 random characters and 6 of checksum',
    (kind, environment, prefix) => {
      const key = generateKey(kind, environment);
      expect(key).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
      expect(parseKey(key)).toEqual({ kind, environment });
    },
  );

  it('generateKey depends on the random bytes only', () => {
    const fixed = (size: number) => new Uint8Array(size).fill(61);
    // The checksum is the CRC-32 of the text before it, 0x9500c1a2, in base 62.
    expect(generateKey('secret', 'prod', fixed)).toBe(`sk_prod_${'z'.repeat(32)}2jB8Py`);
    expect(new Set(Array.from({ length: 100 }, () => generateKey('public', 'test'))).size).toBe(100);
  });
});

describe('parseKey', () => {
  it('parseKey rejects a key with any one character changed', () => {
    const key = generateKey('secret', 'prod');
    const change = fc.record({
      at: fc.nat({ max: key.length - 1 }),
      to: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
    });
    fc.assert(
      fc.property(change, ({ at, to }) => {
        fc.pre(key[at] !== to);
        expect(parseKey(key.slice(0, at) + to + key.slice(at + 1))).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('parseKey rejects another case, length, prefix or alphabet, and text of 10 MB', () => {
    const key = generateKey('secret', 'prod');
    const wrong = [
      '',
      key.toUpperCase(),
      key.replace('sk_prod_', 'SK_PROD_'),
      key.replace('prod', 'test'),
      key.replace('sk_', 'pk_'),
      key.slice(1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      `whsec_xx${key.slice(8)}`,
      'x'.repeat(10_000_000),
    ];
    expect(wrong.map(parseKey)).toEqual(wrong.map(() => null));
  });

  it('parseKey rejects characters outside base 62 even with a valid checksum', () => {
    const key = generateKey('public', 'test', (size) => new Uint8Array(size));
    expect(parseKey(key)).not.toBeNull();
    expect(parseKey(`pk_test_${'-'.repeat(32)}4NXVj5`)).toBeNull();
  });
});

describe('hashKey and lastFour', () => {
  it('hashKey and lastFour return the stored SHA-256 and the displayed four characters', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(lastFour('sk_prod_abcdWXYZ')).toBe('WXYZ');
  });
});
