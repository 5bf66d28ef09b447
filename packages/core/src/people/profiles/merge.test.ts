import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../foundation/json.ts';
import { MAX_PROFILE_BYTES, MAX_PROFILE_TRAITS, mergeTraits } from './merge.ts';

const KB_64 = 65_536;
const x = (count: number): string => 'x'.repeat(count);
/** That many traits with names of a few letters. */
const traits = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, at]));
/** Text that makes `{ ...others, [name]: text }` exactly that many bytes of JSON. */
const filling = (bytes: number, others: object = {}, name = 'fill'): string =>
  x(bytes - utf8Bytes({ ...others, [name]: '' }));

describe('mergeTraits', () => {
  it('mergeTraits sets, replaces and removes traits, and names the changes in patch order', () => {
    expect(mergeTraits({ a: 1, b: 2, c: 3 }, { d: 4, c: null, a: 9 })).toEqual({
      traits: { a: 9, b: 2, d: 4 },
      changed: ['d', 'c', 'a'],
      isTruncated: false,
    });
  });

  it('mergeTraits does not modify its input', () => {
    const current = { a: 1, b: { c: 1 } };
    mergeTraits(current, { a: null, b: 2, d: 3 });
    expect(current).toEqual({ a: 1, b: { c: 1 } });
  });

  it('mergeTraits changes nothing for equal values with any key order', () => {
    const current = {
      text: 'a',
      number: 0,
      flag: false,
      list: [1, { a: 1, b: 2 }],
      object: { a: { c: 1, d: 2 }, b: 2 },
    };
    const same = { object: { b: 2, a: { d: 2, c: 1 } }, list: [1, { b: 2, a: 1 }], flag: false, number: 0, text: 'a' };
    expect(mergeTraits(current, same)).toEqual({ traits: current, changed: [], isTruncated: false });
    expect(mergeTraits({ list: [1, 2] }, { list: [2, 1] }).changed).toEqual(['list']);
    expect(mergeTraits({ n: 1 }, { n: '1' }).changed).toEqual(['n']);
  });

  it('removing a missing trait changes nothing', () => {
    expect(mergeTraits({ a: 1 }, { b: null, c: undefined })).toEqual({
      traits: { a: 1 },
      changed: [],
      isTruncated: false,
    });
  });

  it('objects are replaced as a whole', () => {
    expect(mergeTraits({ address: { city: 'Ghent', zip: 1 } }, { address: { city: 'Bruges' } }).traits).toEqual({
      address: { city: 'Bruges' },
    });
  });

  it('the truncation mark is never a trait', () => {
    expect(mergeTraits({}, { _truncated: true })).toEqual({ traits: {}, changed: [], isTruncated: false });
    expect(mergeTraits({}, { _truncated: 'mine', a: 1 }).traits).toEqual({ a: 1 });
  });

  it.each([
    ['an empty profile', {}],
    ['a profile that has a trait', { other: 'äö' }],
  ])('%s may fill 64 KB and not one byte more', (_, current) => {
    expect(MAX_PROFILE_BYTES).toBe(KB_64);
    const fits = mergeTraits(current, { fill: filling(KB_64, current) });
    expect(utf8Bytes(fits.traits)).toBe(KB_64);
    expect(fits).toMatchObject({ changed: ['fill'], isTruncated: false });
    expect(mergeTraits(current, { fill: filling(KB_64 + 1, current) })).toEqual({
      traits: current,
      changed: [],
      isTruncated: true,
    });
  });

  it('replaced and removed traits free their bytes', () => {
    const full = { a: 1, fill: filling(KB_64, { a: 1 }) };
    expect(utf8Bytes(full)).toBe(KB_64);
    expect(mergeTraits(full, { a: 2 })).toMatchObject({ changed: ['a'], isTruncated: false });
    expect(mergeTraits(full, { a: 22 })).toMatchObject({ changed: [], isTruncated: true });
    expect(mergeTraits(full, { a: null, b: 2 })).toMatchObject({ changed: ['a', 'b'], isTruncated: false });
    expect(mergeTraits(full, { a: null, b: 22 })).toMatchObject({ changed: ['a'], isTruncated: true });
    expect(mergeTraits({ fill: filling(KB_64) }, { fill: null, b: filling(KB_64, {}, 'b') })).toMatchObject({
      changed: ['fill', 'b'],
      isTruncated: false,
    });
  });

  it('a profile has at most 1,000 traits; existing ones may still change', () => {
    expect(MAX_PROFILE_TRAITS).toBe(1_000);
    const full = mergeTraits(traits(999), { last: 1 });
    expect(full).toMatchObject({ changed: ['last'], isTruncated: false });
    const more = mergeTraits(full.traits, { more: 1, last: 2 });
    expect(more).toEqual({ traits: { ...traits(999), last: 2 }, changed: ['last'], isTruncated: true });
    expect(mergeTraits(full.traits, { last: null, more: 1 })).toMatchObject({ changed: ['last', 'more'] });
  });

  it('traits that fit are stored after one that does not', () => {
    const current = { fill: filling(KB_64 - 20) };
    expect(mergeTraits(current, { long: x(100), a: 1 })).toEqual({
      traits: { ...current, a: 1 },
      changed: ['a'],
      isTruncated: true,
    });
  });

  describe('mergeTraits with random traits', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ä', '"', '1');
    const value = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null), fc.jsonValue());
    const someTraits = fc.dictionary(name, value, { noNullPrototype: true });
    const current = someTraits.map((all) => Object.fromEntries(Object.entries(all).filter(([, one]) => one !== null)));

    it('the result stays within the bounds and equals a plain merge if that fits', () => {
      fc.assert(
        fc.property(current, someTraits, fc.nat(120), fc.nat(6), (before, patch, maxBytes, maxTraits) => {
          const { traits: after, isTruncated } = mergeTraits(before, patch, { maxBytes, maxTraits });
          const plain = Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, one]) => one !== null));
          if (!isTruncated) expect(after).toEqual(plain);
          // A profile stored above the bound may stay that large but does not grow.
          expect(utf8Bytes(after)).toBeLessThanOrEqual(Math.max(maxBytes, utf8Bytes(before)));
          expect(Object.keys(after).length).toBeLessThanOrEqual(Math.max(maxTraits, Object.keys(before).length));
        }),
      );
    });

    it('the changed names are exactly the differences, and a second merge changes nothing', () => {
      fc.assert(
        fc.property(current, someTraits, (before, patch) => {
          const once = mergeTraits(before, patch);
          const names = new Set([...Object.keys(before), ...Object.keys(patch)]);
          const text = (all: Readonly<Record<string, unknown>>, one: string) => JSON.stringify(all[one]);
          const differing = [...names].filter((one) => text(before, one) !== text(once.traits, one));
          expect([...once.changed].sort()).toEqual(differing.sort());
          expect(mergeTraits(once.traits, patch).changed).toEqual([]);
        }),
      );
    });
  });
});
