// Wires steps that post: the delivery that they write as they begin to wait, and how their runs are told of its end.

import { RUNS } from '../../automation/runs/start.ts';
import type { RunStatements } from '../../automation/runs/statements.ts';
import { eventScope } from '../../automation/runs/steps/scopes.ts';
import type { StepPost, StepWait } from '../../automation/runs/steps/step.ts';
import type { RunRow } from '../../automation/runs/store.ts';
import type { waitingSteps } from '../../automation/runs/waiting.ts';
import { write } from '../../database/commit/write-set.ts';
import type { Clock } from '../../foundation/clock.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { WorkflowSecrets } from '../../platform/tenancy/secrets/workflow-secrets.ts';
import { bodyOf } from '../../webhooks/body.ts';
import type { StepPosts } from '../../webhooks/deliver/steps.ts';
import { stepDelivery } from '../../webhooks/deliver/steps.ts';
import { WEBHOOKS_QUEUE } from '../../webhooks/schema.ts';
import type { WebhookStatements } from '../../webhooks/statements.ts';

export type PostStep = (run: RunRow, scope: Scope, asked: StepPost) => Pick<StepWait, 'writes' | 'wakes'> | null;

export const stepPosting =
  ({
    hot,
    clock,
    isSandboxed,
  }: {
    readonly hot: Pick<WebhookStatements, 'insert' | 'insertBody'>;
    readonly clock: Clock;
    /** Runs in `test` post nothing: a workflow serves both environments, and what it posts to may be production. */
    readonly isSandboxed: boolean;
  }): PostStep =>
  (run, scope, { body, ...asked }) => {
    if (scope.environment === 'test' && isSandboxed) return null;
    const now = clock.now();
    const { id: runId, cursor: path, attempt, workflowId, person, triggerEventId, triggerEvent } = run;
    const id = derivedId(now, `webhook step/${runId}/${path}/${attempt}`);
    const eventType = String(triggerEvent['eventType']);
    const at = new Date(String(triggerEvent['timestamp']));
    const event = { id: triggerEventId, type: eventType, person, properties: eventScope({ run }), at };
    const said = body === null ? bodyOf(scope, event) : JSON.stringify(body);
    const target = { ...asked, runId, path, attempt };
    const made = { id, workflowId, eventType, person, body: said, target };
    return { writes: stepDelivery(hot, run, made, now), wakes: [WEBHOOKS_QUEUE] };
  };

/** What deliveries of steps need of the rest of the service. */
export const stepPostsOf = ({
  hot,
  waiting,
  secrets,
}: {
  readonly hot: RunStatements;
  readonly waiting: ReturnType<typeof waitingSteps>;
  readonly secrets: Pick<WorkflowSecrets, 'valuesOf' | 'signingSecrets'>;
}): StepPosts => ({
  isWaiting: async (step) => (await waiting([step])).has(step),
  secretsOf: secrets.valuesOf,
  signingSecrets: secrets.signingSecrets,
  tell: ({ scopeId, runId, path, attempt }, news, now) =>
    write(hot.tell, { scopeId, id: runId, cursor: path, attempt, dueAt: now, wokenBy: { ...news } }),
  wakes: [RUNS],
});
