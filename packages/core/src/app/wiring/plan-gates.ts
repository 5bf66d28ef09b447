// Which functions of workflows are of a plan. Modules of messaging gate their own functions. Of sends single fields are
// gated (messaging/sends/accept/send-gates.ts), and of steps that ask a model the deployment's provider (ai-steps.ts).

import type { WorkflowsApi } from '../../automation/workflows/api.ts';
import { parseBundle } from '../../automation/workflows/schema.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';

type Bundles = Pick<WorkflowsApi, 'exportBundle' | 'importBundle'>;

export const planGates = (require: RequirePlan) => ({
  bundles: (api: Bundles): Bundles =>
    gated(require, 'workflowBundles', api, { importBundle: (_, bundle) => parseBundle(bundle) }),
});
