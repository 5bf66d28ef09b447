import { type ArmsOf, pathAfter, pathInto, type StoredStep, stepAt } from './cursor.ts';
import { MAX_CONTEXT_BYTES } from './schema.ts';
import type { StepCatalog } from './steps/catalog.ts';
import type { PlanContext, RunContext, StepDone, StepPlan, StepWait } from './steps/step.ts';
import type { RunRow, RunStepRow } from './store.ts';

const MINUTE_MS = 60_000;
/** Of one step. Source: contract, Workflows (`failed`). */
const MAX_ATTEMPTS = 100;

/** Where a run stands after one step; every field is written. */
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
  | 'context'
>;

/** A step that ran and is to be planned, or why none did. */
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

/** One step of one run: its new state, and the step's row where a step ended. */
export type Advance = {
  readonly state: RunState;
  /** Of a step that begins to wait. */
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
  context: run.context,
  ...change,
});

/** A run that cannot go on. */
export const failedState = (run: RunRow, now: Date, error: string): RunState =>
  ended(run, now, { status: 'failed', outcome: 'error', error });

/**
 * Runs the step that a due run stands at. A type that this program lacks fails the run: the definition stems from a
 * newer one.
 *
 * @param steps null: the definition cannot be read
 * @throws whatever the step throws
 */
export const begin = async (
  { find, armsOf }: Pick<StepCatalog, 'find' | 'armsOf'>,
  steps: readonly StoredStep[] | null,
  context: RunContext,
): Promise<Begun> => {
  if (!steps) return { kind: 'failed', error: 'definition_unreadable' };
  if (steps.length === 0) return { kind: 'over' };
  const step = stepAt(steps, context.path, armsOf);
  if (!step) return { kind: 'failed', error: 'definition_unreadable' };
  const definition = find(step.type);
  if (!definition) return { kind: 'failed', error: 'unknown_step_type' };
  return { kind: 'ran', step, steps, plan: await definition.run(step.config, context), startedAt: context.now };
};

/** What a run has saved once a step ended; an output that it has no room for is left out. */
const savedBy = ({ context }: RunRow, { config }: StoredStep, { output }: StepDone): RunRow['context'] => {
  const { saveAs } = config;
  if (typeof saveAs !== 'string' || output === undefined) return context;
  const saved = { ...context, [saveAs]: output };
  return Buffer.byteLength(JSON.stringify(saved)) > MAX_CONTEXT_BYTES ? context : saved;
};

/** The state after a step ended: the next step's due time counts from now. */
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
  if (cursor === null || !next) return ended({ ...run, outcome }, now, {});
  const dueAt = new Date(now.getTime() + (next.delayMinutes ?? 0) * MINUTE_MS);
  return goingOn(run, { status: dueAt > now ? 'waiting' : 'running', outcome, cursor, attempt: 1, dueAt });
};

/**
 * Plans what a step that ran comes to. Pure: asked again with newer facts, it leaves out what is no longer so, while
 * the step itself is not run a second time. Throws nothing but a defect of a step.
 */
export const advance = (armsOf: ArmsOf, run: RunRow, begun: Begun, context: PlanContext): Advance => {
  const { now } = context;
  if (begun.kind === 'failed') return { state: failedState(run, now, begun.error), step: null };
  if (begun.kind === 'over') return { state: ended(run, now, {}), step: null };
  const result = begun.plan(context);
  if ('waitUntil' in result) {
    const waitingSince = run.waitingSince ?? now;
    return { state: goingOn(run, { dueAt: result.waitUntil, waitingSince }), waits: result, step: null };
  }
  if ('retryAt' in result) {
    if (run.attempt >= MAX_ATTEMPTS) return { state: failedState(run, now, 'too_many_attempts'), step: null };
    return { state: goingOn(run, { dueAt: result.retryAt, attempt: run.attempt + 1 }), step: null };
  }
  return {
    state: after({ ...run, context: savedBy(run, begun.step, result) }, begun, result, armsOf, now),
    // Safe: `begin` found a definition of that type.
    step: {
      path: run.cursor,
      type: begun.step.type as RunStepRow['type'],
      startedAt: run.waitingSince ?? begun.startedAt,
      result,
    },
  };
};
