import type { InScope } from '../../foundation/scope.ts';
import type { Facts } from './predicate/facts.ts';
import type { Condition } from './predicate/types.ts';

/** Facts that a condition may need besides the profile. */
export type ConditionFacts = Pick<Facts, 'isMember' | 'tallyOf'>;

/** Loads the memberships and event counts of one profile that a condition mentions. */
export type LoadConditionFacts = (
  scope: InScope,
  person: string,
  condition: Condition,
  now: Date,
) => Promise<ConditionFacts>;
