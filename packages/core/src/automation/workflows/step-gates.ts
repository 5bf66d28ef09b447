import type { ProjectScope } from '../../foundation/scope.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { Gate } from '../../platform/plans/plan.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { WorkflowsApi } from './api.ts';
import { parseBundle, type Workflow } from './schema.ts';
import { templatesIn, testsIn } from './warnings.ts';

/** What steps name that is of a plan. Throws nothing. */
const gatesOfSteps = (workflows: readonly Pick<Workflow, 'steps'>[]): readonly Gate[] => [
  ...(testsIn(workflows).length > 0 ? (['abTests'] as const) : []),
  ...(templatesIn(workflows).length > 0 ? (['templates'] as const) : []),
];

/** Throws `tier_required` for steps that name a template or an A/B test on a plan without. Source: contract, Plan gates. */
export const requireSteps = async (
  requirePlan: RequirePlan,
  project: Pick<ProjectScope, 'orgId'>,
  workflows: readonly Pick<Workflow, 'steps'>[],
): Promise<void> => {
  for (const gate of gatesOfSteps(workflows)) await requirePlan(project, gate);
};

type Bundles = Pick<WorkflowsApi, 'exportBundle' | 'importBundle'>;

/** Bundles on plans that have them; without the plan, a bundle that is wrong in itself is answered as to everybody. */
export const gatedBundles = (requirePlan: RequirePlan, bundles: Bundles): Bundles =>
  gated(requirePlan, 'workflowBundles', bundles, { importBundle: (_, bundle) => parseBundle(bundle) });
