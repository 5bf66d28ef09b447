import type { StepInput } from '../runs/steps/input.ts';
import type { WorkflowInput } from './api.ts';

/** One workflow with the exact types of its steps. What is left out: `description` is null, `isActive` false. */
export interface WorkflowDefinition extends Omit<WorkflowInput, 'steps'> {
  /** Steps, in order. At most 100, steps of branches included. */
  readonly steps: readonly StepInput[];
}

/** A workflow with its name and its event as literal types. */
type Named<Name extends string, EventType extends string> = WorkflowDefinition & {
  readonly name: Name;
  readonly trigger: { readonly eventType: EventType };
};

/**
 * Returns a workflow unchanged, for the check of its type: step types, configs, conditions and nested branches. Pass
 * the result to `workflows.create`, `workflows.importBundle` or `simulate`, which also check the values. Throws
 * nothing.
 */
export const defineWorkflow = <const Name extends string, const EventType extends string>(
  workflow: Named<Name, EventType>,
): Named<Name, EventType> => workflow;
