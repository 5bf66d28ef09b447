// Predicates, each as in a segment and as hand-written SQL over the same stored form.
import type { Predicate } from '../../../packages/core/src/people/audiences/predicate/types.ts';
import type { ByHand } from './by-hand.ts';
import { PLANS, planOf, VISITS } from './people.ts';

/** Expressions that read traits from a database's JSON. */
type Words = Readonly<Record<'text' | 'number' | 'isTrue' | 'isMissing', (trait: string) => string>>;

const WORDS: Readonly<Record<ByHand['dialect'], Words>> = {
  sqlite: {
    text: (trait) => `traits ->> '${trait}'`,
    number: (trait) => `traits ->> '${trait}'`,
    isTrue: (trait) => `traits ->> '${trait}' = 1`,
    isMissing: (trait) => `traits -> '${trait}' is null`,
  },
  postgres: {
    text: (trait) => `traits ->> '${trait}'`,
    number: (trait) => `(traits ->> '${trait}')::numeric`,
    isTrue: (trait) => `traits -> '${trait}' = 'true'::jsonb`,
    isMissing: (trait) => `traits -> '${trait}' is null`,
  },
};

type Asked = { readonly predicate: Predicate; readonly condition: (words: Words) => string };

/** Source: performance design, 2.4 and the audience benchmark. */
export const PREDICATES = {
  and: {
    predicate: {
      all: [
        { trait: 'plan', op: 'eq', value: 'growth' },
        { trait: 'country', op: 'in', value: ['DE', 'FR'] },
        { trait: 'age', op: 'gte', value: 60 },
      ],
    },
    condition: ({ text, number }) =>
      `${text('plan')} = 'growth' and ${text('country')} in ('DE', 'FR') and ${number('age')} >= 60`,
  },
  missing: {
    predicate: {
      any: [
        { trait: 'coupon', op: 'eq', value: 'SPRING' },
        { trait: 'coupon', op: 'not_set' },
      ],
    },
    condition: ({ text, isMissing }) => `(${text('coupon')} = 'SPRING' or ${isMissing('coupon')})`,
  },
  not: {
    predicate: {
      not: {
        any: [{ trait: 'plan', op: 'eq', value: 'free' }, { not: { trait: 'isTrial', op: 'eq', value: true } }],
      },
    },
    condition: ({ text, isTrue }) => `not (${text('plan')} = 'free' or not ${isTrue('isTrial')})`,
  },
} as const satisfies Readonly<Record<string, Asked>>;
export type PredicateName = keyof typeof PREDICATES;

/** The condition of one of them. */
export const conditionOf = ({ dialect }: Pick<ByHand, 'dialect'>, { condition }: Asked): string =>
  condition(WORDS[dialect]);

/** Number of segments over the trait `visits`: a user is in one of forty. */
export const WINDOWS = 100;
const WIDTH = 10;

/**
 * Segment number `at` of `WINDOWS`: users of two plans with that many visits. If a user has ten more visits, five
 * segments change on average.
 */
export const windowOf = (at: number): Asked & { readonly holds: (index: number, visits: number) => boolean } => {
  const least = (at * VISITS) / WINDOWS;
  const plans = [0, 1].map((more) => planOf(at + more));
  return {
    predicate: {
      all: [
        { trait: 'visits', op: 'gte', value: least },
        { trait: 'visits', op: 'lt', value: least + WIDTH },
        { trait: 'plan', op: 'in', value: plans },
      ],
    },
    condition: ({ text, number }) =>
      `${number('visits')} >= ${least} and ${number('visits')} < ${least + WIDTH} and ${text('plan')} in ('${plans.join("', '")}')`,
    holds: (index, visits) =>
      visits >= least && visits < least + WIDTH && plans.includes(PLANS[index % PLANS.length] ?? ''),
  };
};
