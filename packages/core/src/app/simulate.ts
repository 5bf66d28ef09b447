// The public function in a file of its own: the types of `pure-sends.ts` name database drivers.

import type { WorkflowInput } from '../automation/workflows/api.ts';
import type { Simulation } from '../automation/workflows/simulate/answers.generated.ts';
import type { SimulateInput } from '../automation/workflows/simulate/api.ts';
import { simulateAlone } from '../automation/workflows/simulate/simulator.ts';
import { pureSends } from './pure-sends.ts';

/**
 * Takes a workflow through an event without a database, for a program's own tests: the steps that a run would do, when, and
 * what they would send. Nothing is written, asked or sent; `answers` says what services and later events would bring.
 * Without `now` it begins now. Throws VALIDATION_ERROR for a workflow or an input that is not valid.
 */
export const simulate = (workflow: WorkflowInput, input: SimulateInput): Promise<Simulation> =>
  simulateAlone(pureSends(), workflow, input);
