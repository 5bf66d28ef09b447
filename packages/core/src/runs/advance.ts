import type { ProfileView } from '../profiles/view.ts';
import type { SendLookup } from '../sending/accept/send-lookup.ts';
import type { Step } from '../workflows/schema.ts';
import type { StepContext, StepHandlers, StepResult } from './steps/step.ts';
import type { RunRow } from './store.ts';

const MINUTE_MS = 60_000;

/** Where a run stands after one step; every field is written. */
export type RunState = Pick<
  RunRow,
  'status' | 'outcome' | 'exitReason' | 'cursor' | 'attempt' | 'completedAt' | 'error' | 'dueAt' | 'waitingSince'
>;

/** One step of one run: its new state, and the step's row where a step ended. */
export type Advance = {
  readonly state: RunState;
  readonly step: {
    readonly path: string;
    readonly type: string;
    readonly startedAt: Date;
    readonly result: StepResult;
  } | null;
};

const ok: StepResult = { outcome: 'ok' };

const ended = (run: RunRow, now: Date, change: Partial<RunState>): RunState => ({
  status: 'completed',
  outcome: run.outcome ?? 'ok',
  exitReason: null,
  cursor: run.cursor,
  attempt: run.attempt,
  completedAt: now,
  error: null,
  dueAt: null,
  waitingSince: null,
  ...change,
});

/** A run that cannot go on. */
export const failedState = (run: RunRow, now: Date, error: string): RunState =>
  ended(run, now, { status: 'failed', outcome: 'error', error });

/** Null for a type that this program does not know: the definition stems from a newer one. */
const runStep = (
  handlers: StepHandlers,
  step: Exclude<Step, { type: 'wait' }>,
  context: StepContext,
): StepResult | null => {
  switch (step.type) {
    case 'send_email':
      return handlers.send_email(step.config, context);
    case 'send_push':
      return handlers.send_push(step.config, context);
    case 'send_sms':
      return handlers.send_sms(step.config, context);
    case 'update_profile':
      return handlers.update_profile(step.config, context);
    default:
      return null;
  }
};

/** The state after step `index` ended: the next step's due time counts from now. */
const after = (run: RunRow, steps: readonly Step[], index: number, result: StepResult, now: Date): RunState => {
  const outcome = result.outcome === 'error' ? 'partial' : run.outcome;
  const isStopped = result.outcome === 'error' && steps[index]?.config.onError === 'stop';
  if (isStopped)
    return ended(run, now, { outcome: 'error', exitReason: 'on_error_stop', error: result.reason ?? null });
  const next = steps[index + 1];
  if (!next) return ended({ ...run, outcome }, now, {});
  const dueAt = new Date(now.getTime() + (next.delayMinutes ?? 0) * MINUTE_MS);
  return {
    status: dueAt > now ? 'waiting' : 'running',
    outcome,
    exitReason: null,
    cursor: String(index + 1),
    attempt: 1,
    completedAt: null,
    error: null,
    dueAt,
    waitingSince: null,
  };
};

/**
 * Does the step that a due run stands at. Pure: the same run, steps and profile give the same answer, so a plan
 * whose guard failed is simply made again. Throws nothing but a defect of a step.
 */
export const advance = (
  handlers: StepHandlers,
  run: RunRow,
  steps: readonly Step[],
  profile: ProfileView | undefined,
  lookup: SendLookup,
  now: Date,
): Advance => {
  const index = Number(run.cursor);
  const step = steps[index];
  if (!step) return { state: ended(run, now, {}), step: null };
  if (step.type === 'wait' && run.waitingSince === null) {
    const dueAt = new Date(now.getTime() + step.config.minutes * MINUTE_MS);
    const state: RunState = {
      status: 'waiting',
      outcome: run.outcome,
      exitReason: null,
      cursor: run.cursor,
      attempt: run.attempt,
      completedAt: null,
      error: null,
      dueAt,
      waitingSince: now,
    };
    return { state, step: null };
  }
  const result = step.type === 'wait' ? ok : runStep(handlers, step, { run, path: run.cursor, now, profile, lookup });
  if (!result) return { state: failedState(run, now, 'unknown_step_type'), step: null };
  return {
    state: after(run, steps, index, result, now),
    step: { path: run.cursor, type: step.type, startedAt: run.waitingSince ?? now, result },
  };
};
