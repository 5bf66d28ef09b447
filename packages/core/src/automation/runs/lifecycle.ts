import { derivedId } from '../../foundation/derived-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { CatalogEvent } from '../../people/events/emit.ts';
import { budgetOfRun } from '../../people/events/run-budget.ts';
import type { RunRow, RunStepRow } from './store.ts';

/** The columns of a run that its events contain. */
export type RunFacts = Pick<
  RunRow,
  'id' | 'workflowId' | 'workflowName' | 'person' | 'depth' | 'runBudget' | 'budgetRunId'
> & {
  readonly scope: InScope;
};

/** The columns of an ended step that events contain. */
export type StepFacts = Pick<RunStepRow, 'path' | 'type' | 'outcome' | 'reason'>;

const common = (run: RunFacts, at: Date) => {
  const { scope, person, depth } = run;
  return { scope, person, at, depth: depth + 1, budget: budgetOfRun(run) };
};
const about = ({ id, workflowId, workflowName }: RunFacts) => ({ runId: id, workflowId, workflowName });
const published = ({ path, type, outcome, reason }: StepFacts) => ({
  path,
  type,
  outcome,
  ...(reason === null ? {} : { reason }),
});

/**
 * Event of a run's start. The id derives from the trigger event, because the run's id is generated anew by every plan.
 */
export const runStarted = (run: RunFacts, triggerEventId: string, at: Date): CatalogEvent => ({
  ...common(run, at),
  id: derivedId(at, `workflow.run_started/${triggerEventId}/${run.workflowId}/${run.person}`),
  name: 'workflow.run_started',
  properties: { ...about(run), triggerEventId },
});

/** Event of an ended step. */
export const stepExecuted = (
  run: RunFacts,
  step: StepFacts & { readonly attempt: number; readonly sendId: string | null },
  at: Date,
): CatalogEvent => ({
  ...common(run, at),
  id: derivedId(at, `workflow.step_executed/${run.id}/${step.path}/${step.attempt}`),
  name: 'workflow.step_executed',
  properties: {
    ...about(run),
    ...published(step),
    attempt: step.attempt,
    ...(step.sendId === null ? {} : { sendId: step.sendId }),
  },
});

/** Event of a run's end, with any status and all steps. Source: contract, Workflows. */
export const runCompleted = (
  run: RunFacts,
  { status, outcome, error }: Pick<RunRow, 'status' | 'outcome' | 'error'>,
  steps: readonly StepFacts[],
  at: Date,
): CatalogEvent => ({
  ...common(run, at),
  id: derivedId(at, `workflow.run_completed/${run.id}`),
  name: 'workflow.run_completed',
  properties: { ...about(run), status, outcome, ...(error === null ? {} : { error }), steps: steps.map(published) },
});
