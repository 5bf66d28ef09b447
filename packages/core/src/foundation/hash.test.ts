import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base62,
  constantTimeEqual,
  crc32,
  hmacSha256,
  randomBase62,
  sha256Bytes,
  sha256Hex,
  stableJson,
} from './hash.ts';

describe('sha256Bytes', () => {
  it('sha256Bytes has the same bytes as sha256Hex', () => {
    expect(Buffer.from(sha256Bytes('\u00fc'), 'latin1').toString('hex')).toBe(sha256Hex('\u00fc'));
  });
});

describe('sha256Hex', () => {
  it('sha256Hex hashes bytes, and strings as UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('\u00fc')).toBe(sha256Hex(Uint8Array.of(0xc3, 0xbc)));
    expect(sha256Hex(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('hmacSha256', () => {
  it('hmacSha256 passes the second test case of RFC 4231', () => {
    const mac = hmacSha256(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'));
    expect(Buffer.from(mac).toString('hex')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });
});

describe('constantTimeEqual', () => {
  it('constantTimeEqual agrees with a comparison byte by byte, lengths included', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3, max: 2 }), fc.uint8Array({ maxLength: 3, max: 2 }), (a, b) => {
        expect(constantTimeEqual(a, b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });
});

describe('crc32', () => {
  it('crc32 has the unsigned check value of the CRC-32 catalogue', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
  });
});

describe('base62', () => {
  it('base62 writes digits, capitals and small letters in that order, padded to its width', () => {
    expect([0, 9, 10, 35, 36, 61, 62].map((value) => base62(value, 2))).toEqual([
      '00',
      '09',
      '0A',
      '0Z',
      '0a',
      '0z',
      '10',
    ]);
  });

  it('base62 fits every CRC-32 in 6 characters and keeps the order', () => {
    const checksum = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(checksum, checksum, (a, b) => {
        expect(base62(a, 6)).toHaveLength(6);
        expect(base62(a, 6) < base62(b, 6)).toBe(a < b);
      }),
    );
  });

  it('base62 rejects a number that does not fit in its width', () => {
    expect(() => base62(62, 1)).toThrow(RangeError);
  });
});

describe('randomBase62', () => {
  it('randomBase62 favours no character', () => {
    // All 256 bytes once per draw: 248 of them are used, 4 for each of the 62 characters.
    const everyByte = () => Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const counts = new Map<string, number>();
    for (const character of randomBase62(248, everyByte)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([counts.size, ...new Set(counts.values())]).toEqual([62, 4]);
  });

  it('randomBase62 has the requested length and characters of base 62 only', () => {
    for (const length of [0, 1, 32, 500]) expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });
});

describe('stableJson', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  };

  it('stableJson does not depend on the order of keys and parses back to the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(stableJson(shuffled(value))).toBe(stableJson(value));
        expect(JSON.parse(stableJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('stableJson treats undefined and dates as JSON.stringify does', () => {
    expect(stableJson({ b: [undefined], a: undefined, c: new Date(0) })).toBe(
      '{"b":[null],"c":"1970-01-01T00:00:00.000Z"}',
    );
    expect(stableJson(undefined)).toBe('null');
  });

  it('stableJson rejects a cycle instead of overflowing the stack', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => stableJson(cycle)).toThrow(RangeError);
  });
});
