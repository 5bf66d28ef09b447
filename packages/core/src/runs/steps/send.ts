import type { Ids } from '../../primitives/ids.ts';
import { scopeOf } from '../../primitives/scope.ts';
import { personKey } from '../../profiles/view.ts';
import type { PlanSend } from '../../sending/accept/accept.ts';
import type { SendRequest } from '../../sending/schema.ts';
import type { StepContext, StepResult } from './step.ts';

export type SendStepDeps = { readonly ids: Ids; readonly plan: PlanSend };

/**
 * Sends as part of the run's own transaction. A channel without provider ends the step as `error`, a send that reaches
 * nobody as `suppressed` with its reason. Throws nothing.
 */
export const sendStep = (
  { ids, plan }: SendStepDeps,
  { profile, lookup, run, path, now }: StepContext,
  said: Omit<SendRequest, 'source' | 'workflowRunId' | 'stepPath'>,
): StepResult => {
  const scope = scopeOf(run);
  const request: SendRequest = { ...said, source: 'workflow', workflowRunId: run.id, stepPath: path };
  if (lookup.refusal(scope, request)) return { outcome: 'error', reason: 'provider_not_configured' };
  const profiles = profile ? new Map([[personKey(profile), profile]]) : new Map();
  const { sendId, status, reason, writes, wakes } = plan(scope, request, { profiles, lookup }, now, ids);
  return status === 'suppressed'
    ? { outcome: 'suppressed', reason: reason ?? 'suppressed', sendId, writes, wakes }
    : { outcome: 'ok', sendId, writes, wakes };
};
