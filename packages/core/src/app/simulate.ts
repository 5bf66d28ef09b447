// The public function in its own file: the types of `pure-sends.ts` name database drivers.

import type { WorkflowInput } from '../automation/workflows/api.ts';
import type { Simulation } from '../automation/workflows/simulate/answers.generated.ts';
import type { SimulateInput } from '../automation/workflows/simulate/api.ts';
import { simulateDefinition } from '../automation/workflows/simulate/simulator.ts';
import { pureSends } from './pure-sends.ts';

/**
 * Runs a workflow for an event without a database, for a program's own tests: the steps of a run, their times, and
 * their messages. It writes, calls and sends nothing; `answers` supplies responses of services and later events.
 * Without `now` it begins at the current time. Throws VALIDATION_ERROR for an invalid workflow or input.
 */
export const simulate = (workflow: WorkflowInput, input: SimulateInput): Promise<Simulation> =>
  simulateDefinition(pureSends(), workflow, input);
