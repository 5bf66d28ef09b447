import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUpdate, type ProfileUpdate, type Traits, type TraitVerbs, templateValue } from './trait-edits.ts';

const LIMITS = { maxTraits: 1_000, maxBytes: 65_536 };
const event = { plan: 'pro', count: 3, tags: ['x', 'y'], nothing: null, qty: '4', deep: { er: [1] } };

const update = (traits: Traits, config: TraitVerbs, limits = LIMITS): ProfileUpdate =>
  applyUpdate(traits, config, templateValue({ event, trait: traits }), limits);
const traitsAfter = (traits: Traits, config: TraitVerbs, limits = LIMITS): Traits => {
  const result = update(traits, config, limits);
  if (result.outcome !== 'ok') throw new Error(result.reason);
  return result.traits;
};

describe('applyUpdate', () => {
  it('verbs are applied in the order unset, set, setOnce, increment, append, remove', () => {
    const config: TraitVerbs = {
      remove: { list: 'b' },
      append: { list: ['b', 'c'] },
      increment: { n: 2 },
      setOnce: { n: 100, first: 1 },
      set: { n: 10, list: ['a', 'b'] },
      unset: ['n', 'first', 'list'],
    };
    expect(traitsAfter({ n: 1, first: 0, list: [] }, config)).toEqual({ n: 12, first: 1, list: ['a', 'c'] });
  });

  it('changed has the traits that differ and no others', () => {
    const result = update({ a: 1, b: { x: [1] }, c: 3 }, { set: { a: 1, b: { x: [1] }, d: 4 }, unset: ['c', 'e'] });
    expect(result).toEqual({
      outcome: 'ok',
      traits: { a: 1, b: { x: [1] }, d: 4 },
      changed: ['c', 'd'],
      isTruncated: false,
    });
  });

  it('a value that is exactly one placeholder keeps its JSON type; other texts are rendered', () => {
    const set = {
      count: '{{event.count}}',
      tags: '{{ event.tags }}',
      text: 'n={{event.count}}',
      plain: 'no braces',
      nested: { list: ['{{event.plan}}', '{{event.deep}}'] },
    };
    expect(traitsAfter({}, { set })).toEqual({
      count: 3,
      tags: ['x', 'y'],
      text: 'n=3',
      plain: 'no braces',
      nested: { list: ['pro', { er: [1] }] },
    });
  });

  it('values are neither escaped nor rendered again', () => {
    const value = templateValue({ event: { html: '<b>', sneaky: '{{event.html}}' } });
    const set = { a: 'x{{event.html}}', b: '{{event.sneaky}}', c: 'x{{event.sneaky}}' };
    expect(applyUpdate({}, { set }, value, LIMITS)).toMatchObject({
      traits: { a: 'x<b>', b: '{{event.html}}', c: 'x{{event.html}}' },
    });
  });

  it('an unresolved value leaves its trait unchanged, and null removes it', () => {
    const traits = { a: 1, b: 2, n: 3, l: [1] };
    const config: TraitVerbs = {
      set: { a: '{{event.missing}}', b: '{{event.nothing}}', c: '{{event.constructor}}' },
      increment: { n: '{{event.missing}}' },
      append: { l: '{{event.missing.deeper}}' },
    };
    expect(traitsAfter(traits, config)).toEqual({ a: 1, n: 3, l: [1] });
  });

  it('setOnce sets a missing or null trait', () => {
    expect(traitsAfter({ a: 0, b: null }, { setOnce: { a: 1, b: 2, c: 3 } })).toEqual({ a: 0, b: 2, c: 3 });
  });

  it('increment adds to a number, from 0 if there is none', () => {
    const increment = { a: 1, b: -2.5, c: '{{event.count}}', d: '-{{event.count}}', e: '{{event.qty}}' };
    expect(traitsAfter({ a: 41 }, { increment })).toEqual({ a: 42, b: -2.5, c: 3, d: -3, e: 4 });
  });

  it.each<[string, Traits, TraitVerbs, string]>([
    ['text', { a: '5' }, { increment: { a: 1 } }, 'not_a_number'],
    ['a template that gives text', {}, { increment: { a: '{{event.plan}}' } }, 'not_a_number'],
    ['an empty rendering', {}, { increment: { a: '{{event.missing}}{{event.missing}}' } }, 'not_a_number'],
    ['a sum beyond all numbers', { a: 1.7e308 }, { increment: { a: 1.7e308 } }, 'not_a_number'],
    ['an append to text', { a: 'x' }, { append: { a: 'y' } }, 'not_an_array'],
    ['a removal from an object', { a: {} }, { remove: { a: 'y' } }, 'not_an_array'],
  ])('%s is an error and changes nothing', (_, traits, config, reason) => {
    expect(update(traits, { set: { other: 1 }, ...config })).toEqual({ outcome: 'error', reason, trait: 'a' });
  });

  it('a text too large to render is an error', () => {
    const fill = templateValue({ event: { big: 'x'.repeat(40_000) } });
    const config = { set: { a: '{{event.big}}{{event.big}}' } };
    expect(applyUpdate({}, config, fill, LIMITS)).toEqual({ outcome: 'error', reason: 'too_large', trait: null });
  });

  it('append and remove use the elements of an array', () => {
    const traits = { tags: ['a', { k: 1, l: 2 }, 'a', 1, '1'] };
    expect(traitsAfter(traits, { remove: { tags: ['a', { l: 2, k: 1 }, 1], none: 'x' } })).toEqual({ tags: ['1'] });
    expect(traitsAfter({}, { append: { tags: '{{event.tags}}', one: 'x' } })).toEqual({ tags: ['x', 'y'], one: ['x'] });
  });

  it('values nested deeper than a body may be are an error', () => {
    let traits: Traits = { a: 1 };
    const outcomes = Array.from({ length: 40 }, () => {
      const result = update(traits, { set: { a: { b: '{{trait.a}}' } } });
      if (result.outcome === 'ok') traits = result.traits;
      return result.outcome;
    });
    expect(outcomes.indexOf('error')).toBe(31);
    expect(update(traits, { set: { a: { b: '{{trait.a}}' } } })).toMatchObject({ reason: 'too_deep', trait: 'a' });
  });

  it('an array of a trait has at most 1,000 items', () => {
    const full = { list: Array.from({ length: 999 }, (_, at) => at) };
    expect(update(full, { append: { list: 'x' } })).toMatchObject({ outcome: 'ok' });
    expect(update(full, { append: { list: ['x', 'y'] } })).toEqual({
      outcome: 'error',
      reason: 'too_large',
      trait: 'list',
    });
  });

  it('traits beyond the maximum are not merged', () => {
    const result = update(
      { a: 1, b: 2 },
      { unset: ['a'], set: { c: 3, b: 4, d: 5 } },
      { maxTraits: 2, maxBytes: 1_000 },
    );
    expect(result).toEqual({ outcome: 'ok', traits: { b: 4, c: 3 }, changed: ['a', 'b', 'c'], isTruncated: true });
  });

  it('traits fill the byte limit and not one byte more', () => {
    const traits = { a: 'x' };
    const wanted = { a: 'x', b: 'y'.repeat(20) };
    const maxBytes = Buffer.byteLength(JSON.stringify(wanted));
    expect(traitsAfter(traits, { set: { b: wanted.b } }, { maxTraits: 10, maxBytes })).toEqual(wanted);
    expect(update(traits, { set: { b: wanted.b } }, { maxTraits: 10, maxBytes: maxBytes - 1 })).toEqual({
      outcome: 'ok',
      traits,
      changed: [],
      isTruncated: true,
    });
    expect(traitsAfter({}, { set: { b: 'y' } }, { maxTraits: 10, maxBytes: 9 })).toEqual({ b: 'y' });
    expect(traitsAfter({}, { set: { b: 'y' } }, { maxTraits: 10, maxBytes: 8 })).toEqual({});
  });

  it('the truncation mark is never a trait', () => {
    expect(traitsAfter({ a: 1 }, { set: { _truncated: true, b: 2 } })).toEqual({ a: 1, b: 2 });
  });

  it('a trait never changes a prototype', () => {
    const keys = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}');
    for (const verb of ['set', 'setOnce', 'append']) {
      const traits = traitsAfter({}, { [verb]: keys });
      expect(Object.keys(traits)).toEqual(['constructor']);
      expect(Object.getPrototypeOf(traits)).toBe(Object.prototype);
    }
  });

  it('applyUpdate stays within the limits, keeps its input and is repeatable', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const values = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true });
    const config = fc.record({ set: values, setOnce: values, unset: fc.array(key) }, { requiredKeys: [] });
    const limits = fc.record({ maxTraits: fc.integer({ min: 0, max: 5 }), maxBytes: fc.integer({ min: 2, max: 80 }) });
    fc.assert(
      fc.property(values, config, limits, (traits, verbs, bounds) => {
        const before = JSON.stringify(traits);
        const result = traitsAfter(traits, verbs as TraitVerbs, bounds);
        expect(JSON.stringify(traits)).toBe(before);
        const most = (bound: number, given: number) => Math.max(bound, given);
        expect(Object.keys(result).length).toBeLessThanOrEqual(most(bounds.maxTraits, Object.keys(traits).length));
        expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(
          most(bounds.maxBytes, Buffer.byteLength(before)),
        );
        expect(update(traits, verbs as TraitVerbs, bounds)).toMatchObject({ traits: result });
      }),
    );
  });
});
