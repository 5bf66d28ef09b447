import type { StepUsage } from '../ai/api.ts';
import type { ListQuery } from '../primitives/page.ts';
import type { Environment } from '../primitives/scope.ts';
import type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './schema.ts';
import type { Step } from './steps/list.ts';

export type Run = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly triggerEventId: string;
  readonly triggerEvent: TriggerEvent;
  readonly status: RunStatus;
  /** Null until a step has failed or the run is over; of a cancelled one where none has. */
  readonly outcome: RunOutcome | null;
  readonly depth: number;
  readonly exitReason: ExitReason | null;
  readonly cursor: string;
  readonly next_step_at: Date | null;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly error: string | null;
  readonly context: Readonly<Record<string, unknown>>;
};

/** What a run remembers of the event that started it. */
export type TriggerEvent = {
  readonly id: string;
  readonly eventType: string;
  readonly module: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
};

export type RunStep = {
  readonly path: string;
  readonly type: Step['type'];
  readonly outcome: StepOutcome;
  /** The step type's own word for why it did not go well, such as `invalid_address`. */
  readonly reason: string | null;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly sendId: string | null;
  /** What a called service answered. */
  readonly httpStatus: number | null;
  /** What the step gave, as later steps read it under its `saveAs`. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Of a step that asked a model. */
  readonly usage: StepUsage | null;
};
export type RunWithSteps = Run & { readonly steps: readonly RunStep[] };

/** By when a run started, and by what it is. */
export type RunQuery = ListQuery & {
  readonly status?: RunStatus | undefined;
  readonly workflowId?: string | undefined;
  readonly userId?: string | undefined;
};
