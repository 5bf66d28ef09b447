// Plans the step results of a batch: run rows guarded by their fence, step rows, and the effects of the steps. Pure
// except for reads; repeating it with newer facts runs no step again.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import type { Ids } from '../../foundation/ids.ts';
import { userIdOf } from '../../foundation/person.ts';
import { type Scope, type ScopeLookup, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { PlanSend } from '../../messaging/sends/accept/accept.ts';
import type { LookUpSends, LookupRequest, SendLookup } from '../../messaging/sends/accept/send-lookup.ts';
import type { MessageChange } from '../../messaging/sends/finalize/change.ts';
import { blankProfile, type PersonKey, type ProfileView, personKey } from '../../people/profiles/view.ts';
import { type Advance, advance, type Begun, failedState, type RunState } from './advance.ts';
import type { Effects } from './effects.ts';
import { RUNS } from './start.ts';
import type { RunStatements } from './statements.ts';
import { type AskModel, type PostStep, positionOf, stepRequestOf } from './step-request.ts';
import type { StepCatalog } from './steps/catalog.ts';
import { sendStep } from './steps/send.ts';
import type { PlanContext, StepRun } from './steps/step.ts';
import type { RunRow } from './store.ts';

/** Actions of steps beyond their own rows. */
export type StepActions = {
  readonly planSend: PlanSend;
  readonly postStep: PostStep;
  readonly askModel: AskModel;
  /** Base URL of this service's links; null: not configured. */
  readonly publicUrl: string | null;
};

export type PlanDeps = StepActions & {
  readonly hot: Pick<RunStatements, 'advance' | 'recordStep'>;
  readonly ids: Ids;
  /** Step types of this program. */
  readonly steps: Pick<StepCatalog, 'find' | 'armsOf'>;
  /** Loads data for the sends of a batch's steps. */
  readonly lookUpSends: LookUpSends;
  /** Reports a step that threw, which is a defect: it fails its own run and no other of the batch. */
  readonly threw: (run: RunRow, error: unknown) => void;
};

/** A step that ran; null: it would read data that may not be committed yet. */
export type NextStep = Begun | null;

/** A run whose step ran. The commit plans from it, repeatedly after conflicts. */
export type Due = {
  readonly run: Claimed<RunRow>;
  readonly begun: Begun;
  /** Runs the run's next step, once per lease. */
  readonly runNext: (run: RunRow, seen: StepRun, profile: ProfileView | undefined) => NextStep | Promise<NextStep>;
};

/** A profile within a plan: as stored, and after the steps planned so far. */
export type Person = {
  readonly key: PersonKey;
  readonly stored: ProfileView | undefined;
  current: ProfileView | undefined;
};

/** State of a run within a plan. */
type PendingRun = {
  readonly due: Due;
  readonly scope: Scope;
  readonly person: Person | undefined;
  /** Rows of the steps taken so far. */
  readonly rows: Write[];
  run: Claimed<RunRow>;
  seen: StepRun;
  begun: Begun;
  /** State after the last of them. */
  state: RunState;
};

/** Input of a batch's plan. */
export type Facts = {
  readonly people: ReadonlyMap<string, Person>;
  readonly scopeAt: ScopeLookup;
  /** For the first step of each run. */
  readonly lookup: SendLookup;
  readonly effects: Effects;
  readonly now: Date;
  /** Maximum steps per run. */
  readonly most: number;
};

/** Most steps await nothing, and a promise costs as much as planning a step. */
const isReady = (followed: NextStep | Promise<NextStep>): followed is NextStep => !(followed instanceof Promise);

/** Work units of planning one step. Measured, with a margin. */
const STEP_UNITS = 150;

/** Guard tag of changed profiles. */
const PERSON_TAG = 'person';

export const personOf = (run: RunRow): PersonKey => ({ ...scopeOf(run), person: run.person });

/** The run as its steps see it. */
export const stepRun = (run: RunRow): StepRun => ({
  id: run.id,
  scope: scopeOf(run),
  person: run.person,
  depth: run.depth,
  runBudget: run.runBudget,
  budgetRunId: run.budgetRunId,
  workflowId: run.workflowId,
  triggerEvent: run.triggerEvent,
  attempt: run.attempt,
  saved: run.context,
  waitingSince: run.waitingSince,
  wokenBy: run.wokenBy,
});

/** Creates the planner of batches. */
export const runPlans = (deps: PlanDeps) => {
  const { hot, steps: catalog } = deps;

  const writeState = (run: RunRow, state: RunState): Write =>
    write(hot.advance, { ...scopeOf(run), id: run.id, fence: run.fence, person: run.person, ...state }, run.id);

  /** The send of the run's current step; empty if it sends nothing. */
  const wantOf = ({ run, begun }: Pick<PendingRun, 'run' | 'begun'>): LookupRequest[] => {
    const channel = begun.kind === 'ran' ? catalog.find(begun.step.type)?.sends : undefined;
    if (channel === undefined) return [];
    const userId = userIdOf(run.person);
    return [{ scope: scopeOf(run), channel, recipients: userId === null ? [] : [{ kind: 'user', userId }] }];
  };

  const contextOf = ({ run, seen, person, scope }: PendingRun, lookup: SendLookup, now: Date): PlanContext => {
    const context: PlanContext = {
      run: seen,
      path: run.cursor,
      now,
      profile: person?.current,
      publicUrl: deps.publicUrl,
      send: (request) => sendStep({ ids: deps.ids, plan: deps.planSend }, lookup, context, request),
      askModel: () => deps.askModel(positionOf(run), scope),
      post: (request) => deps.postStep(scope, stepRequestOf(run, request)),
    };
    return context;
  };

  const attempt = ({ run, begun }: PendingRun, context: PlanContext): Advance => {
    const { now } = context;
    try {
      return advance(catalog.armsOf, run, begun, context);
    } catch (error) {
      deps.threw(run, error);
      return { state: failedState(run, now, 'step_threw'), step: null };
    }
  };

  const plan = async (due: readonly Due[], { people, scopeAt, lookup: first, effects, now, most }: Facts) => {
    const states: Write[] = [];
    const writes: Write[] = [];
    const wakes = new Set<string>();
    const changes: MessageChange[] = [];
    const gathered = { now, writes, wakes };
    const changing: RunRow[] = [];

    const stay = ({ run, state }: PendingRun): void => {
      states.push(writeState(run, state));
      if (state.status === 'running') wakes.add(RUNS);
    };

    /** Plans the result of a step. */
    const take = (one: PendingRun, context: PlanContext): void => {
      const { due, run, begun, person } = one;
      const { state, step, waits } = attempt(one, context);
      one.state = state;
      if (waits) {
        // Safe: as for an ended step, below.
        writes.push(...((waits.writes ?? []) as readonly Write[]));
        for (const topic of waits.wakes ?? []) wakes.add(topic);
      }
      if (!step) {
        effects.raise(gathered, run, state, null);
        return;
      }
      const { result } = step;
      const row = {
        ...scopeOf(run),
        runId: run.id,
        path: step.path,
        attempt: run.attempt,
        type: step.type,
        outcome: result.outcome,
        reason: result.reason ?? null,
        sendId: result.sendId ?? null,
        httpStatus: result.httpStatus ?? null,
        output: result.output ?? null,
        usage: result.usage ?? null,
        // A following step starts when the previous one ends, which is now. It may have been executed for an earlier
        // plan, or after `now`.
        startedAt: begun === due.begun ? step.startedAt : now,
        finishedAt: now,
      };
      one.rows.push(write(hot.recordStep, row));
      effects.raise(gathered, run, state, row);
      // Safe: a step gets writes only from `send`, which receives those of a plan.
      if (result.writes) writes.push(...(result.writes as readonly Write[]));
      for (const topic of result.wakes ?? []) wakes.add(topic);
      if (result.changes) changes.push(...result.changes);
      if (!result.nextTraits || !person) return;
      changing.push(run);
      person.current = { ...(person.current ?? blankProfile(person.key, now)), ...result.nextTraits };
    };

    /** Moves a run to its next step and executes it, if it is due at once and allowed in this plan. */
    const goOn = (one: PendingRun): NextStep | Promise<NextStep> => {
      const { due, run, person, state } = one;
      if (state.status !== 'running' || person?.current !== person?.stored) return null;
      one.run = { ...run, ...state };
      one.seen = stepRun(one.run);
      return due.runNext(one.run, one.seen, person?.stored);
    };

    const all = due.map((one): PendingRun => {
      const { run, begun } = one;
      const person = people.get(personKey(run));
      return { due: one, scope: scopeAt(run.scopeId), person, rows: [], run, seen: stepRun(run), begun, state: run };
    });
    let pending = all;
    for (let [taken, lookup] = [1, first]; pending.length > 0; taken += 1) {
      if (taken > 1) lookup = await deps.lookUpSends(pending.flatMap(wantOf));
      for (const one of pending) {
        const context = contextOf(one, lookup, now);
        if (one.begun.kind === 'ran' && one.begun.plan.prepare) await one.begun.plan.prepare(context);
        take(one, context);
        const rest = spendWork(STEP_UNITS, scopeKey(one.run));
        if (rest !== undefined) await rest;
      }
      const followed = pending.map((one) => (taken < most ? goOn(one) : null));
      const begun = followed.every(isReady) ? followed : await Promise.all(followed);
      pending = pending.filter((one, at) => {
        const next = begun[at];
        if (next) one.begun = next;
        else stay(one);
        return next;
      });
    }
    const edits = [...people.values()].flatMap(({ key, stored, current }) =>
      current && current !== stored ? [{ key, stored, next: current }] : [],
    );
    await effects.change(gathered, changing, edits, PERSON_TAG);
    // Ordered by run, so that an index on runs grows in one place.
    return { writes: [...states, ...all.flatMap(({ rows }) => rows), ...writes], wakes: [...wakes], changes };
  };

  return { wantOf, writeState, plan };
};
