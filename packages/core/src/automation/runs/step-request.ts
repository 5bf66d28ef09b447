// Input of the modules that post requests and call models for waiting steps; these modules do not depend on runs.

import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import { eventScope } from './steps/scopes.ts';
import type { StepPost, StepWait } from './steps/step.ts';
import type { RunRow } from './store.ts';

/** A request of a step, for the module that posts it. */
export type StepRequest = {
  readonly workflowId: string;
  readonly person: string;
  /** The trigger event of the run. */
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly at: Date;
  };
  /** JSON; null: the event is the body. */
  readonly body: unknown;
  /** Destination of the request, and the step that waits for the response. */
  readonly target: Omit<StepPost, 'body'> & {
    readonly runId: string;
    readonly path: string;
    readonly attempt: number;
  };
};

/** Plans a request for the commit in which the step starts to wait; null: nothing is posted in this scope. */
export type PostStep = (scope: Scope, request: StepRequest) => Pick<StepWait, 'writes' | 'wakes'> | null;

/** A step of a run. */
export type StepPosition = InScope & { readonly runId: string; readonly path: string; readonly attempt: number };

/** Plans a model call for the commit in which the step starts to wait; null: no model is called in this scope. */
export type AskModel = (step: StepPosition, scope: Scope) => Pick<StepWait, 'writes' | 'wakes'> | null;

/** The current step of a run. Throws nothing. */
export const positionOf = (run: RunRow): StepPosition => ({
  ...scopeOf(run),
  runId: run.id,
  path: run.cursor,
  attempt: run.attempt,
});

/** The request of a run's current step. Throws nothing. */
export const stepRequestOf = (run: RunRow, { body, ...asked }: StepPost): StepRequest => {
  const { id: runId, cursor: path, attempt, workflowId, person, triggerEventId, triggerEvent } = run;
  const event = {
    id: triggerEventId,
    type: String(triggerEvent['eventType']),
    properties: eventScope({ run }),
    at: new Date(String(triggerEvent['timestamp'])),
  };
  return { workflowId, person, event, body, target: { ...asked, runId, path, attempt } };
};
