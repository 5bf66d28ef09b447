/** Statuses of a run. Source: contract, Workflows (run record). */
export const RUN_STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How a run ended: `ok` all steps succeeded, `partial` some failed, `error` it stopped at one. Source: as above. */
export const RUN_OUTCOMES = ['ok', 'partial', 'error'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Maximum bytes of JSON of a run's saved outputs. Source: as above. */
export const MAX_CONTEXT_BYTES = 65_536;

/** Why a run ended before its last step. The contract's reasons that this version uses. */
export const EXIT_REASONS = ['on_error_stop', 'branch_exit', 'wait_timed_out'] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** Outcome of a step. Source: as above. */
export const STEP_OUTCOMES = [
  'ok',
  'skipped',
  'suppressed',
  'error',
  'ai_unavailable',
  'timed_out',
  'cancelled',
] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];
