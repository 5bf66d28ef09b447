import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Run, RunWithSteps } from './answers.generated.ts';
import type { RunStatus } from './schema.ts';

/** Filter of runs; `from` and `to` compare the start. */
export type RunQuery = ListQuery & {
  readonly status?: RunStatus | undefined;
  readonly workflowId?: string | undefined;
  readonly userId?: string | undefined;
};

/** Runs of workflows. */
export type RunsApi = {
  /**
   * Lists runs, newest first. Throws VALIDATION_ERROR for an invalid limit, cursor, time or status, and INVALID_RANGE
   * if `to` is before `from`.
   */
  list(scope: Scope, query?: RunQuery): Promise<Page<Run>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * Cancels a run before its next step. If a step is in progress, either the step or the cancel takes effect. Messages
   * that the run already sent are not cancelled. Idempotent. Throws NOT_FOUND, and CONFLICT `final` for a run that
   * ended.
   */
  cancel(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * Retries a run that failed or was ended by `onError: stop`: continues at that step as its next attempt, with the
   * version that the run started with. Its end raises the event again. Throws NOT_FOUND, CONFLICT `in_progress` for a
   * run that has not ended and `final` for one that is cancelled or completed.
   */
  retry(scope: Scope, id: string): Promise<RunWithSteps>;
};
