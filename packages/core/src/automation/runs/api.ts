import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Environment, Scope } from '../../foundation/scope.ts';
import type { StepUsage } from '../ai/api.ts';
import type { FiguresQuery, WorkflowFigures } from './figures/api.ts';
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

/** Runs of workflows, a part of WorkflowsApi. */
export type RunsApi = {
  /**
   * Newest first. Throws VALIDATION_ERROR for a limit, a cursor, a time or a status that there is not, INVALID_RANGE for
   * a `to` before `from`.
   */
  listRuns(scope: Scope, query?: RunQuery): Promise<Page<Run>>;
  /** Throws NOT_FOUND. */
  getRun(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * What became of the runs that began in a range, by step. Counted from their rows, at most 100,000 of them. Throws
   * NOT_FOUND, VALIDATION_ERROR for an interval or a zone that there is not, and as `listRuns` for times.
   */
  figures(scope: Scope, id: string, query?: FiguresQuery): Promise<WorkflowFigures>;
  /**
   * Ends a run before its next step; of this and a step that is being done one takes effect. What the run has sent goes
   * on. Idempotent. Throws NOT_FOUND, and CONFLICT `final` for a run that is over.
   */
  cancelRun(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * Lets a run go on that failed, or that `onError: stop` ended: at that step, as its next attempt, with the definition
   * that it started with. Its end is told again. Throws NOT_FOUND, CONFLICT `in_progress` for a run that is not over and
   * `final` for one that is cancelled or completed.
   */
  retryRun(scope: Scope, id: string): Promise<RunWithSteps>;
};
