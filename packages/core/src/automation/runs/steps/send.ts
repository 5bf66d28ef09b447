import type { Ids } from '../../../foundation/ids.ts';
import type { PlanSend } from '../../../messaging/sends/accept/accept.ts';
import type { SendLookup } from '../../../messaging/sends/accept/send-lookup.ts';
import type { SendRequest } from '../../../messaging/sends/schema.ts';
import { budgetOfRun } from '../../../people/events/run-budget.ts';
import { personKey } from '../../../people/profiles/view.ts';
import type { PlanContext, StepDone, StepSend } from './step.ts';

export type SendStepDeps = { readonly ids: Ids; readonly plan: PlanSend };

/**
 * Sends within the run's transaction. Without a provider the step ends as `error`; a send without recipients ends as
 * `suppressed` with its reason. Throws nothing.
 *
 * @param lookup data loaded for the sends of the batch
 */
export const sendStep = (
  { ids, plan }: SendStepDeps,
  lookup: SendLookup,
  { profile, run, path, now }: Pick<PlanContext, 'profile' | 'run' | 'path' | 'now'>,
  stepSend: StepSend,
): StepDone => {
  const ofStep = { workflowRunId: run.id, stepPath: path, depth: run.depth + 1, budget: budgetOfRun(run) };
  const request: SendRequest = { ...stepSend, source: 'workflow', ...ofStep };
  if (lookup.refusal(run.scope, request)) return { outcome: 'error', reason: 'provider_not_configured' };
  const profiles = profile ? new Map([[personKey(profile), profile]]) : new Map();
  const { sendId, status, reason, changes, writes, wakes } = plan(run.scope, request, { profiles, lookup }, now, ids);
  return status === 'suppressed'
    ? { outcome: 'suppressed', reason: reason ?? 'suppressed', sendId, changes, writes, wakes }
    : { outcome: 'ok', sendId, changes, writes, wakes };
};
