import type { ProjectScope } from '../../foundation/scope.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { Gate } from '../../platform/plans/plan.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { WorkflowsApi } from './api.ts';
import { parseBundle, type Workflow } from './schema.ts';
import { templatesIn, testsIn } from './warnings.ts';

/** Features of the plan that steps use. Throws nothing. */
const gatesOfSteps = (workflows: readonly Pick<Workflow, 'steps'>[]): readonly Gate[] => [
  ...(testsIn(workflows).length > 0 ? (['abTests'] as const) : []),
  ...(templatesIn(workflows).length > 0 ? (['templates'] as const) : []),
];

/**
 * Throws `tier_required` if steps use templates or A/B tests that the plan does not include. Source: contract, Plan
 * gates.
 */
export const requireSteps = async (
  requirePlan: RequirePlan,
  project: Pick<ProjectScope, 'orgId'>,
  workflows: readonly Pick<Workflow, 'steps'>[],
): Promise<void> => {
  for (const gate of gatesOfSteps(workflows)) await requirePlan(project, gate);
};

type Bundles = Pick<WorkflowsApi, 'exportBundle' | 'importBundle'>;

/** Bundles on plans that include them. Without the feature, an invalid bundle still gets its validation error. */
export const gatedBundles = (requirePlan: RequirePlan, bundles: Bundles): Bundles =>
  gated(requirePlan, 'workflowBundles', bundles, { importBundle: (_, bundle) => parseBundle(bundle) });
