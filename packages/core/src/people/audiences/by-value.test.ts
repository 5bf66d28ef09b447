import { describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../test/support/audiences/predicate/parse.ts';
import { RANDOM_NOW, randomPredicate, randomTraits } from '../../../test/support/audiences/predicate/random.ts';
import { seeded } from '../../../test/support/seeded.ts';
import type { DynamicAudience } from './by-value.ts';
import { indexAudiences } from './definitions.ts';
import { evaluate } from './predicate/evaluate.ts';
import { NO_FACTS } from './predicate/facts.ts';
import type { Predicate } from './predicate/types.ts';

const liveWith = (predicates: readonly Predicate[]) =>
  indexAudiences(predicates.map((predicate, at) => ({ id: String(at), name: String(at), predicate, stage: null })));
const idsOf = (audiences: readonly DynamicAudience[] = []): string[] => audiences.map(({ id }) => id).sort();

/** Indexes of the predicates that may match when the trait `x` has this value. */
const left = (given: readonly object[], value: unknown): string[] =>
  idsOf(liveWith(given.map(parsePredicate)).byTrait.get('x')?.(value));

describe('byValue', () => {
  it('a predicate with eq or in may match only its values', () => {
    const asked = [
      { trait: 'x', op: 'eq', value: 1 },
      { trait: 'x', op: 'in', value: ['a', 1, 'b'] },
      {
        all: [
          { trait: 'y', op: 'eq', value: 1 },
          { trait: 'x', op: 'eq', value: 'a' },
        ],
      },
    ];
    expect(left(asked, 1)).toEqual(['0', '1']);
    expect(left(asked, 'a')).toEqual(['1', '2']);
    for (const value of ['1', true, null, undefined, [1]]) expect(left(asked, value)).toEqual([]);
  });

  it('a predicate with number bounds may match only numbers within all of them', () => {
    const asked = [
      {
        all: [
          { trait: 'x', op: 'gte', value: 2 },
          { trait: 'x', op: 'lte', value: 4 },
        ],
      },
      { trait: 'x', op: 'between', value: [4, 6] },
      { trait: 'x', op: 'gt', value: 4 },
      { trait: 'x', op: 'lt', value: 2 },
    ];
    expect(left(asked, 4)).toEqual(['0', '1', '2']);
    expect(left(asked, 1)).toEqual(['3']);
    expect(left(asked, 7)).toEqual(['2']);
    for (const value of ['4', null, undefined]) expect(left(asked, value)).toEqual([]);
  });

  it('predicates without a definite value, and predicates that depend on time, may match any value', () => {
    const other = { trait: 'y', op: 'set' };
    const asked = [
      { any: [{ trait: 'x', op: 'eq', value: 1 }, other] },
      { not: { trait: 'x', op: 'eq', value: 1 } },
      { trait: 'x', op: 'neq', value: 1 },
      {
        all: [
          { trait: 'x', op: 'eq', value: 1 },
          { trait: 'y', op: 'older_than', value: { n: 1, unit: 'days' } },
        ],
      },
    ];
    expect(left(asked, 9)).toEqual(['0', '1', '2', '3']);
  });

  it('every matching predicate is among the candidates, whatever it tests', () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    const { dynamic, byTrait } = liveWith(Array.from({ length: 300 }, () => randomPredicate(random)));
    let holding = 0;
    let ruledOut = 0;
    for (let person = 0; person < 60; person += 1) {
      const traits = randomTraits(random);
      for (const [name, mayHold] of byTrait) {
        const left = new Set(mayHold(Object.hasOwn(traits, name) ? traits[name] : undefined));
        for (const audience of dynamic.filter(({ all }) => all.traits.has(name))) {
          const isIn = evaluate(audience.predicate, { ...NO_FACTS, now: RANDOM_NOW, traits }) === true;
          if (isIn) holding += 1;
          if (!left.has(audience)) ruledOut += 1;
          expect(isIn && !left.has(audience), `seed ${seed}: ${JSON.stringify(audience.predicate)}`).toBe(false);
        }
      }
    }
    expect([holding > 100, ruledOut > 100]).toEqual([true, true]);
  });
});
