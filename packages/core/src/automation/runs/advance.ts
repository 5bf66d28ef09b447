import { scopeKey } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import { newEvaluation } from '../../people/audiences/predicate/evaluation.ts';
import type { Condition } from '../../people/audiences/predicate/types.ts';
import { type ArmsOf, exitAt, pathAfter, pathInto, type StoredStep, stepAt } from './cursor.ts';
import { MAX_CONTEXT_BYTES } from './schema.ts';
import type { StepCatalog } from './steps/catalog.ts';
import { isTrueOf, loadOutsideFacts } from './steps/condition.ts';
import type { PlanContext, RunContext, StepDone, StepPlan, StepWait } from './steps/step.ts';
import type { RunRow, RunStepRow } from './store.ts';

export type { RunRow } from './store.ts';

const MINUTE_MS = 60_000;
/** Maximum attempts of a step. Source: contract, Workflows (`failed`). */
const MAX_ATTEMPTS = 100;

/** State of a run after a step; every column is written. */
export type RunState = Pick<
  RunRow,
  | 'status'
  | 'outcome'
  | 'exitReason'
  | 'cursor'
  | 'attempt'
  | 'completedAt'
  | 'error'
  | 'dueAt'
  | 'waitingSince'
  | 'wokenBy'
  | 'awaitsEvent'
  | 'awaitsFilters'
  | 'context'
>;

/** A step that ran and must be planned, or why none ran. */
export type Begun =
  | {
      readonly kind: 'ran';
      readonly step: StoredStep;
      readonly steps: readonly StoredStep[];
      readonly plan: StepPlan;
      readonly startedAt: Date;
    }
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly error: string };

/** Result of one step: the new state of the run, and the step's row if the step ended. */
export type Advance = {
  readonly state: RunState;
  /** Writes of a step that starts to wait. */
  readonly waits?: Pick<StepWait, 'writes' | 'wakes'>;
  readonly step: {
    readonly path: string;
    readonly type: RunStepRow['type'];
    readonly startedAt: Date;
    readonly result: StepDone;
  } | null;
};

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
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
  context: run.context,
  ...change,
});

const goingOn = (run: RunRow, change: Partial<RunState>): RunState => ({
  status: 'waiting',
  outcome: run.outcome,
  exitReason: null,
  cursor: run.cursor,
  attempt: run.attempt,
  completedAt: null,
  error: null,
  dueAt: null,
  waitingSince: null,
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
  context: run.context,
  ...change,
});

/** State of a run that cannot continue. */
export const failedState = (run: RunRow, now: Date, error: string): RunState =>
  ended(run, now, { status: 'failed', outcome: 'error', error });

const skip: StepPlan = () => ({ outcome: 'skipped', reason: 'condition' });

/** Whether a step's condition is true. */
const isTrue = async (condition: Condition, context: RunContext): Promise<boolean> => {
  const { run, now } = context;
  const [profile, known] = await Promise.all([context.profile(), loadOutsideFacts([condition], context)]);
  const evaluation = newEvaluation();
  const isTrue = isTrueOf(condition, { run, now, profile }, known, evaluation);
  const rest = spendWork(evaluation.units, scopeKey(run.scope));
  if (rest !== undefined) await rest;
  return isTrue;
};

/**
 * Runs the step at the run's cursor. A step type unknown to this program fails the run: the definition comes from a
 * newer program. Returns synchronously if nothing is awaited, because most steps only plan.
 *
 * @param steps null: the definition cannot be read
 * @throws errors of the step, synchronously or by rejection
 */
export const begin = (
  { find, armsOf }: Pick<StepCatalog, 'find' | 'armsOf'>,
  steps: readonly StoredStep[] | null,
  context: RunContext,
): Begun | Promise<Begun> => {
  if (!steps) return { kind: 'failed', error: 'definition_unreadable' };
  if (steps.length === 0) return { kind: 'over' };
  const step = stepAt(steps, context.path, armsOf);
  if (!step) return { kind: 'failed', error: 'definition_unreadable' };
  const definition = find(step.type);
  if (!definition) return { kind: 'failed', error: 'unknown_step_type' };
  const ran = (plan: StepPlan): Begun => ({ kind: 'ran', step, steps, plan, startedAt: context.now });
  const { when } = step.config;
  // The condition is evaluated when the step starts, not again after it waited.
  if (when === undefined || context.run.waitingSince !== null) {
    const plan = definition.run(step.config, context);
    return typeof plan === 'function' ? ran(plan) : Promise.resolve(plan).then(ran);
  }
  // Safe: the schema of conditions produced every stored `when`.
  return isTrue(when as Condition, context).then(async (isIt) =>
    ran(isIt ? await definition.run(step.config, context) : skip),
  );
};

/** Value that later steps read: the step's output, or the send id. */
const outputOf = ({ output, sendId }: StepDone) => output ?? (sendId === undefined ? undefined : { sendId });

/**
 * The saved outputs of a run after a step, and the step's result. An output beyond the size limit is dropped, and the
 * step gets a reason unless it has one.
 */
const savedBy = (
  { context }: RunRow,
  { config }: StoredStep,
  done: StepDone,
): { readonly context: RunRow['context']; readonly done: StepDone } => {
  const { saveAs } = config;
  const output = outputOf(done);
  if (typeof saveAs !== 'string' || output === undefined) return { context, done };
  const saved = { ...context, [saveAs]: output };
  if (Buffer.byteLength(JSON.stringify(saved)) <= MAX_CONTEXT_BYTES) return { context: saved, done };
  return { context, done: { reason: 'output_too_large', ...done } };
};

/** State after a step ended: the delay of the next step counts from now. */
const after = (
  run: RunRow,
  { step, steps }: Extract<Begun, { kind: 'ran' }>,
  { outcome: result, reason, goesTo }: StepDone,
  armsOf: ArmsOf,
  now: Date,
): RunState => {
  const outcome = result === 'error' ? 'partial' : run.outcome;
  if (result === 'error' && step.config['onError'] === 'stop')
    return ended(run, now, { outcome: 'error', exitReason: 'on_error_stop', error: reason ?? null });
  if (goesTo && 'exit' in goesTo) return ended({ ...run, outcome }, now, { exitReason: goesTo.exit });
  const cursor = goesTo ? pathInto(steps, run.cursor, goesTo.arm, armsOf) : pathAfter(steps, run.cursor, armsOf);
  const next = cursor === null ? null : stepAt(steps, cursor, armsOf);
  if (cursor === null || !next) {
    const exitReason = exitAt(steps, goesTo ? `${run.cursor}.${goesTo.arm}` : run.cursor, armsOf);
    return ended({ ...run, outcome }, now, { exitReason });
  }
  const dueAt = new Date(now.getTime() + (next.delayMinutes ?? 0) * MINUTE_MS);
  return goingOn(run, { status: dueAt > now ? 'waiting' : 'running', outcome, cursor, attempt: 1, dueAt });
};

/**
 * Plans the result of a step that ran. Pure: it can be repeated with newer facts without running the step again. Throws
 * only on a defect of a step.
 */
export const advance = (armsOf: ArmsOf, run: RunRow, begun: Begun, context: PlanContext): Advance => {
  const { now } = context;
  if (begun.kind === 'failed') return { state: failedState(run, now, begun.error), step: null };
  if (begun.kind === 'over') return { state: ended(run, now, {}), step: null };
  const result = begun.plan(context);
  if ('waitUntil' in result) {
    const waitingSince = run.waitingSince ?? now;
    const { eventType = null, filters = null } = result.awaits ?? {};
    const awaits = { awaitsEvent: eventType, awaitsFilters: filters };
    return { state: goingOn(run, { dueAt: result.waitUntil, waitingSince, ...awaits }), waits: result, step: null };
  }
  if ('retryAt' in result) {
    if (run.attempt >= MAX_ATTEMPTS) return { state: failedState(run, now, 'too_many_attempts'), step: null };
    return { state: goingOn(run, { dueAt: result.retryAt, attempt: run.attempt + 1 }), step: null };
  }
  const { context: saved, done } = savedBy(run, begun.step, result);
  return {
    state: after({ ...run, context: saved }, begun, done, armsOf, now),
    // Safe: `begin` found a definition of that type.
    step: {
      path: run.cursor,
      type: begun.step.type as RunStepRow['type'],
      startedAt: run.waitingSince ?? begun.startedAt,
      result: done,
    },
  };
};
