// Writes the delivery of a webhook step, in the commit in which the step starts to wait for the response.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Clock } from '../../foundation/clock.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import { bodyOf } from '../body.ts';
import { WEBHOOKS_QUEUE } from '../schema.ts';
import type { WebhookStatements } from '../statements.ts';
import type { StepTarget } from '../tables.ts';

/** The delivery of a webhook step. */
export type NewStepDelivery = {
  readonly id: string;
  /** Stored as the webhook id. No webhook has this id. */
  readonly workflowId: string;
  readonly eventType: string;
  readonly person: string;
  readonly body: string;
  readonly target: StepTarget;
};

/** The rows of a step's delivery, due at once. The event id, which is signed, is the delivery's own id. Throws nothing. */
export const stepDelivery = (
  hot: Pick<WebhookStatements, 'insert' | 'insertBody'>,
  scope: InScope,
  { id, workflowId, eventType, person, body, target }: NewStepDelivery,
  now: Date,
): Write[] => [
  write(hot.insertBody, { ...scopeOf(scope), id, person, body, createdAt: now }),
  write(hot.insert, {
    ...scopeOf(scope),
    id,
    webhookId: workflowId,
    eventId: id,
    eventType,
    status: 'pending',
    trigger: 'schedule',
    attempts: 0,
    attemptLog: [],
    step: target,
    createdAt: now,
    dueAt: now,
    fence: 0,
  }),
];

/** The event that started the run of a step. */
export type StepEvent = {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
};

/** The request of a webhook step. */
export type StepRequest = {
  readonly workflowId: string;
  readonly person: string;
  readonly event: StepEvent;
  /** JSON; null sends the event in the same form as a webhook delivery. */
  readonly body: unknown;
  readonly target: StepTarget;
};

/** The rows of a request and the queues to wake. */
export type StepWrites = { readonly writes: readonly Write[]; readonly wakes: readonly string[] };

export type StepPostingContext = {
  readonly statements: Pick<WebhookStatements, 'insert' | 'insertBody'>;
  readonly clock: Clock;
  /** True: steps in `test` post nothing. A workflow serves both environments, so its URLs may be those of production. */
  readonly isSandboxed: boolean;
};

/** Plans the delivery of a step; null if nothing is posted in this scope. Throws nothing. */
export const planStepDelivery = (
  { statements, clock, isSandboxed }: StepPostingContext,
  scope: Scope,
  { workflowId, person, event, body, target }: StepRequest,
): StepWrites | null => {
  if (scope.environment === 'test' && isSandboxed) return null;
  const now = clock.now();
  const id = derivedId(now, `webhook step/${target.runId}/${target.path}/${target.attempt}`);
  const text = body === null ? bodyOf(scope, { ...event, person }) : JSON.stringify(body);
  const delivery = { id, workflowId, eventType: event.type, person, body: text, target };
  return { writes: stepDelivery(statements, scope, delivery, now), wakes: [WEBHOOKS_QUEUE] };
};
