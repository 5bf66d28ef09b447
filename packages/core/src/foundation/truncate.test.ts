import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateObject, utf8Bytes } from './truncate.ts';

const CAP = 16_384;

// A slow reference implementation: tries every prefix of the first value that does not fit.
const reference = (object: Record<string, unknown>, maxBytes: number): Record<string, unknown> => {
  const entries = Object.entries(object).filter(([key]) => key !== '_truncated');
  if (utf8Bytes(Object.fromEntries(entries)) <= maxBytes) return Object.fromEntries(entries);
  const fits = (kept: [string, unknown][]) =>
    utf8Bytes(Object.fromEntries([...kept, ['_truncated', true]])) <= maxBytes;
  const kept: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (fits([...kept, [key, value]])) {
      kept.push([key, value]);
      continue;
    }
    if (typeof value === 'string') {
      const points = [...value];
      const prefixes = points.map((_, n) => points.slice(0, points.length - 1 - n).join(''));
      const longest = prefixes.find((prefix) => fits([...kept, [key, prefix]]));
      if (longest !== undefined) kept.push([key, longest]);
    }
    break;
  }
  return Object.fromEntries([...kept, ['_truncated', true]]);
};

describe('truncateObject', () => {
  it('truncateObject leaves 16,384 bytes unchanged and cuts 16,385 to exactly 16,384 with the mark', () => {
    const fitting = { bio: 'x'.repeat(16_374) };
    expect(utf8Bytes(fitting)).toBe(16_384);
    expect(truncateObject(fitting, CAP)).toBe(fitting);
    const cut = truncateObject({ bio: 'x'.repeat(16_375) }, CAP);
    expect(cut).toEqual({ bio: 'x'.repeat(16_356), _truncated: true });
    expect(utf8Bytes(cut)).toBe(16_384);
  });

  it('truncateObject cuts 4,094 characters of four bytes to 4,089', () => {
    const bio = '\u{1F600}'.repeat(4_094);
    expect(utf8Bytes({ bio })).toBe(16_386);
    const cut = truncateObject({ bio }, CAP);
    expect(cut).toEqual({ bio: '\u{1F600}'.repeat(4_089), _truncated: true });
    expect(utf8Bytes(cut)).toBe(16_384);
  });

  it.each([
    ['2 bytes', '\u00e9', 2],
    ['3 bytes', '\u65e5', 3],
    ['an escape of 6 bytes', '\u0001', 6],
    ['an escape of 2 bytes', '\n', 2],
    ['a quote', '"', 2],
    ['a lone surrogate, escaped in 6 bytes', '\ud800', 6],
  ])('truncateObject never cuts inside a character of %s', (_, character, size) => {
    const cut = truncateObject({ bio: character.repeat(9_000) }, CAP);
    expect(cut).toEqual({ bio: character.repeat(Math.floor(16_356 / size)), _truncated: true });
    expect(utf8Bytes(cut)).toBeLessThanOrEqual(CAP);
  });

  it('truncateObject keeps whole keys in order while they fit and drops everything after', () => {
    const long = 'x'.repeat(CAP);
    expect(truncateObject({ a: 1, list: [long], b: 2 }, CAP)).toEqual({ a: 1, _truncated: true });
    expect(Object.keys(truncateObject({ a: 1, text: long, b: 2 }, CAP))).toEqual(['a', 'text', '_truncated']);
  });

  it('truncateObject drops a key of 20 KB and all after it', () => {
    expect(truncateObject({ a: 1, ['k'.repeat(20_480)]: 'v', b: 2 }, CAP)).toEqual({ a: 1, _truncated: true });
  });

  it('truncateObject keeps as many of 10,000 tiny keys as fit', () => {
    const tiny = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n + 10_000}`, 1]));
    const cut = truncateObject(tiny, CAP);
    // 16,365 bytes hold 1,487 members of 11 bytes and the mark.
    expect(Object.keys(cut)).toHaveLength(1_488);
    expect(utf8Bytes(cut)).toBe(2 + 1_487 * 11 + 17);
  });

  it('truncateObject removes a mark that a client sent', () => {
    expect(truncateObject({ a: 1, _truncated: true }, CAP)).toEqual({ a: 1 });
    expect(truncateObject({ _truncated: 'x'.repeat(CAP), a: 1 }, CAP)).toEqual({ a: 1 });
    const cut = truncateObject({ _truncated: false, bio: 'x'.repeat(CAP) }, CAP);
    expect(Object.entries(cut)).toEqual([
      ['bio', 'x'.repeat(16_356)],
      ['_truncated', true],
    ]);
  });

  it('truncateObject keeps its own mark when it cuts its own result again', () => {
    const once = truncateObject({ a: 'x'.repeat(500) }, 300);
    expect(truncateObject(once, 300)).toBe(once);
    expect(truncateObject(once, 40)).toEqual({ a: 'x'.repeat(14), _truncated: true });
  });

  it('truncateObject skips members without a JSON form', () => {
    expect(truncateObject({ nothing: undefined, a: 'x'.repeat(100) }, 50)).toEqual({
      a: 'x'.repeat(24),
      _truncated: true,
    });
  });

  it('truncateObject keeps __proto__ as data', () => {
    const cut = truncateObject(JSON.parse(`{"__proto__":{"isAdmin":true},"a":"${'x'.repeat(100)}"}`), 60);
    expect(cut).not.toHaveProperty('isAdmin');
    expect(JSON.stringify(cut)).toBe(
      '{"__proto__":{"isAdmin":true},"a":"xx","_truncated":true}'.replace('xx', 'x'.repeat(5)),
    );
  });

  it('truncateObject agrees with the reference, stays within the cap and is idempotent', () => {
    const character = fc.constantFrom(
      'a',
      '"',
      '\\',
      '\0',
      '\u0001',
      '\n',
      '\u00e9',
      '\u65e5',
      '\u{1F600}',
      '\ud800',
      '\u2028',
    );
    const key = fc.oneof(fc.string({ unit: character, maxLength: 8 }), fc.constant('_truncated'));
    const value = fc.oneof(fc.string({ unit: character, maxLength: 60 }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.integer({ min: 19, max: 200 }), (object, maxBytes) => {
        const cut = truncateObject(object, maxBytes);
        expect(JSON.stringify(cut)).toBe(JSON.stringify(reference(object, maxBytes)));
        expect(utf8Bytes(cut)).toBeLessThanOrEqual(maxBytes);
        expect(truncateObject(cut, maxBytes)).toBe(cut);
      }),
      { numRuns: 500 },
    );
  });
});

describe('utf8Bytes', () => {
  it('utf8Bytes counts the bytes of the JSON text', () => {
    expect([{}, 'a', '\u00e9', '\u{1F600}', '\u0001', null, undefined].map(utf8Bytes)).toEqual([2, 3, 4, 6, 8, 4, 0]);
  });
});
