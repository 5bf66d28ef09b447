import type { z } from 'zod';
import { userIdOf } from '../../../foundation/person.ts';
import type { ConditionFacts } from '../../../people/audiences/condition-facts.ts';
import { holds } from '../../../people/audiences/predicate/evaluate.ts';
import type { Evaluation } from '../../../people/audiences/predicate/evaluation.ts';
import { type Facts, NO_FACTS } from '../../../people/audiences/predicate/facts.ts';
import { conditionSchema } from '../../../people/audiences/predicate/schema.ts';
import { type Condition, type ConditionInput, leavesOf } from '../../../people/audiences/predicate/types.ts';
import { localeOf, timezoneOf } from '../../../people/profiles/view.ts';
import type { StoredStep } from '../cursor.ts';
import { eventScope } from './scopes.ts';
import type { Finding, PlanContext, RunContext, SavedNames } from './step.ts';

const needsFacts = (read: Condition): boolean => leavesOf(read).some((leaf) => 'event' in leaf || 'audience' in leaf);

/** Condition of a step or an arm: leaves of predicates about the user, and leaves with paths of the run. */
export const condition =
  // Safe: the parsed input is a condition or an array of conditions, and the output is a condition.
  conditionSchema.describe(
    'Condition. A leaf such as { trait, op, value } or { path, op, value }, or all, any or not over conditions. An array means all. At most 8 levels and 100 nodes.',
  ) as unknown as z.ZodType<Condition, ConditionInput>;

const needsZone = (read: Condition): boolean =>
  leavesOf(read).some((leaf) => 'timezone' in leaf && (leaf.timezone === 'user' || leaf.timezone === 'org'));

/** Facts of conditions besides the run and its user. */
export type OutsideFacts = Partial<ConditionFacts> & Pick<Facts, 'orgTimezone'>;

/** Loads these facts only if a condition needs them. Throws database errors. */
export const loadOutsideFacts = async (
  conditions: readonly Condition[],
  context: Pick<RunContext, 'known' | 'orgTimezone'>,
): Promise<OutsideFacts> => {
  const elsewhere = conditions.filter(needsFacts);
  const known = elsewhere.length === 0 ? undefined : await context.known?.({ any: elsewhere });
  return { ...known, ...(conditions.some(needsZone) ? { orgTimezone: await context.orgTimezone() } : {}) };
};

/** Input of evaluating a step's conditions. */
type EvaluationInput = Pick<PlanContext, 'run' | 'profile' | 'now'>;

const factsOf = ({ run, profile, now }: EvaluationInput, known: OutsideFacts | undefined): Facts => ({
  ...NO_FACTS,
  ...known,
  now,
  user: {
    userId: userIdOf(run.person),
    ...(profile && {
      email: profile.email,
      phone: profile.phone,
      locale: localeOf(profile),
      timezone: timezoneOf(profile),
      createdAt: profile.createdAt,
      lastSeenAt: profile.lastSeenAt,
    }),
  },
  traits: profile?.traits ?? {},
  event: eventScope({ run }),
  steps: run.saved,
});

/**
 * Whether a condition is true for a run, not merely unknown. Throws nothing.
 *
 * @param evaluation shared by all conditions of a step
 */
export const isTrueOf = (
  conditions: Condition,
  context: EvaluationInput,
  known?: OutsideFacts,
  evaluation?: Evaluation,
): boolean => holds(conditions, factsOf(context, known), evaluation);

/** Conditions of a step with their position in its config: its own and those of its arms. Throws nothing. */
export const conditionsOf = ({ config }: StoredStep): { readonly at: string; readonly conditions: Condition }[] => {
  const { when, branches } = config;
  // Safe: the schema of conditions produced both, and no other type has such arms.
  const arms = (branches ?? []) as readonly { readonly when: Condition }[];
  return [
    // Safe: as above.
    ...(when === undefined ? [] : [{ at: 'when', conditions: when as Condition }]),
    ...arms.map((arm, index) => ({ at: `branches.${index}.when`, conditions: arm.when })),
  ];
};

/** Audiences that a condition refers to. Throws nothing. */
export const audiencesOf = (conditions: Condition): readonly string[] => [
  ...new Set(leavesOf(conditions).flatMap((leaf) => ('audience' in leaf ? [leaf.audience] : []))),
];

/** Warns for each output that a condition reads and no earlier step saves. Throws nothing. */
export function* unknownOutputs(conditions: Condition, path: string, saved: SavedNames): Generator<Finding> {
  const paths = leavesOf(conditions).flatMap((leaf) => ('path' in leaf ? [leaf.path] : []));
  for (const one of new Set(paths)) {
    const [root, name = ''] = one.split('.');
    if (root !== 'steps' || saved.has(name)) continue;
    const message = `No earlier step saves steps.${name}; here it is always unknown.`;
    yield { path, code: 'unknown_variable', message };
  }
}
