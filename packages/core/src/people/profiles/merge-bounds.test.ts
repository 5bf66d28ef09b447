import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editTraits, mergeTraits } from './merge.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the bounds of a profile', () => {
  it('traits fill the bound to the byte, from any starting point', () => {
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

  it('traits removed by a patch free space for the same patch, in any order', () => {
    const current = { a: 'x'.repeat(10), b: 1 };
    const bounds = { maxBytes: bytesOf({ b: 1, c: 'x'.repeat(10) }), maxTraits: 2 };
    expect(mergeTraits(current, { c: 'x'.repeat(10), a: null }, bounds)).toMatchObject({
      traits: { b: 1, c: 'x'.repeat(10) },
      changed: ['c', 'a'],
      isTruncated: false,
    });
  });

  it('a profile beyond the bounds may shrink', () => {
    const merged = mergeTraits({ a: 'xxxx', b: 'xxxx' }, { a: 'x', b: 'xxxxx' }, { maxBytes: 5, maxTraits: 1 });
    expect(merged).toMatchObject({ traits: { a: 'x', b: 'xxxx' }, changed: ['a'], isTruncated: true });
  });

  it('a cached size and a measured size give the same result', () => {
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

describe('several patches of one batch', () => {
  it('patches applied together give the same result as one by one', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ü', '"', '_truncated');
    const patch = fc.dictionary(name, fc.option(fc.jsonValue({ maxDepth: 1 })), { noNullPrototype: true });
    const bounds = fc.record({ maxTraits: fc.integer({ min: 0, max: 5 }), maxBytes: fc.integer({ min: 2, max: 80 }) });
    fc.assert(
      fc.property(patch, fc.array(patch, { maxLength: 6 }), bounds, (first, patches, limits) => {
        const current = mergeTraits({}, first).traits;
        const before = JSON.stringify(current);
        const editor = editTraits(current, limits);
        let traits = current;
        for (const one of patches) {
          const { traits: left, ...told } = mergeTraits(traits, one, limits);
          expect(editor.apply(one)).toEqual(told);
          traits = left;
          expect(JSON.stringify(editor.traits())).toBe(JSON.stringify(traits));
          for (const key of ['a', 'ü', 'nobody']) expect(editor.has(key)).toBe(Object.hasOwn(traits, key));
        }
        expect(JSON.stringify(current)).toBe(before);
      }),
    );
  });

  it('a full profile is measured a few times, whatever the number of patches', () => {
    let reads = 0;
    const full = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`t${at}`, 'x'.repeat(50)]));
    const counted = new Proxy(full, {
      get: (target, name) => {
        reads += 1;
        return Reflect.get(target, name);
      },
    });
    const editor = editTraits(counted);
    for (let at = 0; at < 500; at += 1) {
      // Changed, dropped for lack of space, equal, and removed.
      editor.apply({ t1: at });
      editor.apply({ [`new${at}`]: 'x'.repeat(60_000) });
      editor.apply({ t2: 'x'.repeat(50), [`t${at + 400}`]: null });
    }
    expect(Object.keys(editor.traits())).toHaveLength(500);
    expect(reads).toBeLessThan(10_000);
  });
});

describe('merging traits', () => {
  it('traits are returned unchanged if nothing of the patch fits', () => {
    const current = { a: 'x'.repeat(20) };
    const merged = mergeTraits(current, { b: 'x'.repeat(20) }, { maxBytes: 40 });
    expect(merged).toMatchObject({ changed: [], isTruncated: true });
    expect(merged.traits).toBe(current);
  });

  it('objects with keys in another order are equal', () => {
    const current = { address: { city: 'Bern', zip: '3000' } };
    const merged = mergeTraits(current, { address: { zip: '3000', city: 'Bern' } });
    expect(merged).toMatchObject({ changed: [], isTruncated: false });
    expect(merged.traits).toBe(current);
  });

  it('the truncation mark is never a trait', () => {
    expect(mergeTraits({ a: 1 }, { _truncated: true, b: 2 })).toMatchObject({
      traits: { a: 1, b: 2 },
      changed: ['b'],
      isTruncated: false,
    });
  });
});
