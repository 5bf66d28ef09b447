import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTraits } from './merge.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the bounds of a profile', () => {
  it('are reached to the byte, from nothing, from something and from what was merged before', () => {
    const merged = mergeTraits({}, { a: 'x' }).traits;
    for (const current of [{}, { a: 'x' }, merged, mergeTraits(merged, { a: null }).traits]) {
      const wanted = { ...current, b: 'ü'.repeat(20) };
      const maxBytes = bytesOf(wanted);
      expect(mergeTraits(current, { b: wanted.b }, { maxBytes })).toEqual({
        traits: wanted,
        changed: ['b'],
        isTruncated: false,
      });
      expect(mergeTraits(current, { b: wanted.b }, { maxBytes: maxBytes - 1 })).toMatchObject({
        traits: current,
        changed: [],
        isTruncated: true,
      });
    }
  });

  it('are made room in by what the same patch unsets, wherever that stands', () => {
    const current = { a: 'x'.repeat(10), b: 1 };
    const bounds = { maxBytes: bytesOf({ b: 1, c: 'x'.repeat(10) }), maxTraits: 2 };
    expect(mergeTraits(current, { c: 'x'.repeat(10), a: null }, bounds)).toMatchObject({
      traits: { b: 1, c: 'x'.repeat(10) },
      changed: ['c', 'a'],
      isTruncated: false,
    });
  });

  it('keep nothing from shrinking that is beyond them already', () => {
    const merged = mergeTraits({ a: 'xxxx', b: 'xxxx' }, { a: 'x', b: 'xxxxx' }, { maxBytes: 5, maxTraits: 1 });
    expect(merged).toMatchObject({ traits: { a: 'x', b: 'xxxx' }, changed: ['a'], isTruncated: true });
  });

  it('hold the same for traits that were merged before and for a copy of them', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ü', '"');
    const values = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true });
    const bounds = fc.record({ maxTraits: fc.integer({ min: 0, max: 5 }), maxBytes: fc.integer({ min: 2, max: 80 }) });
    fc.assert(
      fc.property(values, values, values, bounds, (first, current, patch, limits) => {
        const { traits } = mergeTraits(first, current);
        const before = JSON.stringify(traits);
        const merged = mergeTraits(traits, patch, limits);
        expect(mergeTraits({ ...traits }, patch, limits)).toEqual(merged);
        expect(JSON.stringify(traits)).toBe(before);
        expect(bytesOf(merged.traits)).toBeLessThanOrEqual(Math.max(limits.maxBytes, bytesOf(traits)));
        if (!merged.isTruncated) expect(mergeTraits(merged.traits, patch, limits).changed).toEqual([]);
      }),
    );
  });
});

describe('a merge of traits', () => {
  it('takes an object whose keys come in another order for the same', () => {
    const current = { address: { city: 'Bern', zip: '3000' } };
    const merged = mergeTraits(current, { address: { zip: '3000', city: 'Bern' } });
    expect(merged).toMatchObject({ changed: [], isTruncated: false });
    expect(merged.traits).toBe(current);
  });

  it('never takes the mark of truncation for a trait', () => {
    expect(mergeTraits({ a: 1 }, { _truncated: true, b: 2 })).toMatchObject({
      traits: { a: 1, b: 2 },
      changed: ['b'],
      isTruncated: false,
    });
  });
});
