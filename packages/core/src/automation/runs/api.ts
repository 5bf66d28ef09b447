import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Run, RunWithSteps } from './answers.generated.ts';
import type { RunStatus } from './schema.ts';

/** By when a run started, and by what it is. */
export type RunQuery = ListQuery & {
  readonly status?: RunStatus | undefined;
  readonly workflowId?: string | undefined;
  readonly userId?: string | undefined;
};

/** Runs of workflows. */
export type RunsApi = {
  /**
   * Newest first. Throws VALIDATION_ERROR for a limit, a cursor, a time or a status that there is not, INVALID_RANGE for
   * a `to` before `from`.
   */
  list(scope: Scope, query?: RunQuery): Promise<Page<Run>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * Ends a run before its next step; of this and a step that is being done one takes effect. What the run has sent goes
   * on. Idempotent. Throws NOT_FOUND, and CONFLICT `final` for a run that is over.
   */
  cancel(scope: Scope, id: string): Promise<RunWithSteps>;
  /**
   * Lets a run go on that failed, or that `onError: stop` ended: at that step, as its next attempt, with the definition
   * that it started with. Its end is told again. Throws NOT_FOUND, CONFLICT `in_progress` for a run that is not over and
   * `final` for one that is cancelled or completed.
   */
  retry(scope: Scope, id: string): Promise<RunWithSteps>;
};
