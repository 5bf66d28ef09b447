import { z } from 'zod';
import { bucketOf, variantAt, WEIGHT_TOLERANCE } from '../../../foundation/ab-bucket.ts';
import { jsonKeywords, oneRequired } from '../../../foundation/json-keywords.ts';
import { anonymousIdOf, userIdOf } from '../../../foundation/person.ts';
import { scopeKey } from '../../../foundation/scope.ts';
import { spendWork } from '../../../jobs/concurrency/work-slices.ts';
import { newEvaluation } from '../../../people/audiences/predicate/evaluation.ts';
import type { Arm } from '../cursor.ts';
import { condition, isTrueOf, loadOutsideFacts, unknownOutputs } from './condition.ts';
import { common, storableText } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { defineStep, type PlanContext, type StepDone, type StepPlan } from './step.ts';

/** Maximum characters of an arm's name. Chosen: as for a step's. */
const MAX_ARM_NAME = 200;
/** Maximum arms of a step. Chosen: a split has 100 buckets. */
const MAX_ARMS = 100;
/** Minimum weight: one bucket. Source: semantics, A/B buckets. */
const MIN_WEIGHT = 1;
const ELSE = 'else';

const exit = z
  .boolean()
  .optional()
  .describe('Whether the run ends after these steps. Default: false, it goes on after the branch.');
const named = {
  name: storableText(MAX_ARM_NAME).describe('Name of the branch, unique in the step. 1 to 200 characters.'),
};
const weight = z
  .number()
  .min(0)
  .max(100)
  .refine((share) => share === 0 || share >= MIN_WEIGHT, `must be 0, or at least ${MIN_WEIGHT}`)
  .register(jsonKeywords, { anyOf: [{ const: 0 }, { minimum: MIN_WEIGHT }] });

const armAt = (
  key: string,
  at: string,
  { steps, exit: leaves }: Pick<Arm, 'steps'> & { exit?: boolean | undefined },
) => ({
  key,
  at: `${at}.steps`,
  steps,
  ...(leaves ? { exit: 'branch_exit' as const } : {}),
});

const duplicates = (arms: readonly { readonly name: string }[]): number[] =>
  arms.flatMap(({ name }, index) => (arms.findIndex((arm) => arm.name === name) < index ? [index] : []));

/** Enters the arm with this key; the output contains its name. */
const enter = (arm: string, name: string): StepDone => ({ outcome: 'ok', output: { branch: name }, goesTo: { arm } });

/** Bucket of a user, constant per workflow, step and user. Source: contract, Workflows. */
const bucketIn = ({ run, path }: PlanContext): number =>
  bucketOf(`${run.workflowId}${path}`, userIdOf(run.person) ?? anonymousIdOf(run.person) ?? '');

/**
 * Branches: enters the first arm whose condition is true, or an arm by the weights of a split. After the arm the run
 * continues after the step, or ends if the arm has `exit`. If no arm is entered, the run continues after the step.
 */
export const branch = defineStep({
  type: 'branch',
  renders: RENDERED.branch,
  config: (steps) =>
    z
      .strictObject({
        ...common,
        branches: z
          .array(
            z.strictObject({
              ...named,
              when: condition,
              steps: steps.describe('Steps of the branch. At most 100.'),
              exit,
            }),
          )
          .min(1)
          .max(MAX_ARMS)
          .optional()
          .describe(
            'Branches, tried in order; the first whose condition is true is taken. 1 to 100. Exactly one of branches and split.',
          ),
        else: z
          .strictObject({ steps: steps.describe('Steps of the branch. At most 100.'), exit })
          .optional()
          .describe('Branch when no condition is true. Default: none.'),
        split: z
          .array(
            z.strictObject({
              ...named,
              weight: weight.describe('Share of users, in percent. 0, or 1 to 100; all weights sum to 100.'),
              steps: steps.describe('Steps of the branch. At most 100.'),
              exit,
            }),
          )
          .min(1)
          .max(MAX_ARMS)
          .optional()
          .describe(
            'Branches chosen at random, always the same for a user. 1 to 100. Exactly one of branches and split.',
          ),
      })
      .superRefine(({ branches, split, else: rest }, { addIssue }) => {
        const issue = (path: (string | number)[], message: string) => addIssue({ code: 'custom', path, message });
        if ((branches === undefined) === (split === undefined)) issue([], 'needs exactly one of branches, split');
        if (rest !== undefined && split !== undefined)
          issue([ELSE], 'is not allowed with split, which always takes a branch');
        for (const [key, arms = []] of Object.entries({ branches, split }))
          for (const index of duplicates(arms))
            issue([key, index, 'name'], 'is the name of another branch of the step');
        const sum = (split ?? []).reduce((all, arm) => all + arm.weight, 0);
        if (split !== undefined && Math.abs(sum - 100) > WEIGHT_TOLERANCE)
          issue(['split'], 'their weights must sum to 100');
      })
      .register(jsonKeywords, { ...oneRequired('branches', 'split'), dependentRequired: { else: ['branches'] } }),
  *check({ branches = [] }, saved) {
    for (const [index, { when }] of branches.entries()) yield* unknownOutputs(when, `branches.${index}.when`, saved);
  },
  arms: ({ branches = [], split = [], else: rest }) => [
    ...branches.map((arm, index) => armAt(String(index), `branches.${index}`, arm)),
    ...split.map((arm, index) => armAt(String(index), `split.${index}`, arm)),
    ...(rest ? [armAt(ELSE, ELSE, rest)] : []),
  ],
  run: async ({ branches = [], split, else: rest }, runContext) => {
    const facts = await loadOutsideFacts(
      branches.map(({ when }) => when),
      runContext,
    );
    const chosen = new WeakMap<PlanContext, number>();
    const choose = (context: PlanContext): number =>
      chosen.get(context) ?? branches.findIndex(({ when }) => isTrueOf(when, context, facts));
    /**
     * Evaluates in slices: an author may write thousands of leaves, and a client may send long texts that they test.
     */
    const prepare = async (context: PlanContext): Promise<void> => {
      const evaluation = newEvaluation();
      for (const [index, { when }] of branches.entries()) {
        const isTrue = isTrueOf(when, context, facts, evaluation);
        if (isTrue) chosen.set(context, index);
        const rest = spendWork(evaluation.units, scopeKey(context.run.scope));
        evaluation.units = 0;
        if (rest !== undefined) await rest;
        if (isTrue) return;
      }
      chosen.set(context, -1);
    };
    const plan: StepPlan = (context) => {
      if (split) {
        const arm = variantAt(split, bucketIn(context));
        if (arm) return enter(String(split.indexOf(arm)), arm.name);
      }
      const index = choose(context);
      const arm = branches[index];
      if (arm) return enter(String(index), arm.name);
      return rest ? enter(ELSE, ELSE) : { outcome: 'ok', output: { branch: null } };
    };
    return branches.length === 0 ? plan : Object.assign(plan, { prepare });
  },
});
