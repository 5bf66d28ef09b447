import type { CommitHook } from '../../database/commit/commit-hook.ts';
import { commitInParts, type PartPlan } from '../../database/commit/commit-planned.ts';
import { isUnavailable } from '../../database/errors.ts';
import { claimable } from '../../database/statements/claim.ts';
import type { Channel } from '../../foundation/channel.ts';
import { type ScopeDirectory, type ScopeLookup, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Tracing } from '../../foundation/telemetry.ts';
import type { WorkLog } from '../../jobs/log.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { LookUpSends } from '../../messaging/sends/accept/send-lookup.ts';
import type { SendTests } from '../../messaging/sends/deliver/variants.ts';
import type { Finalize } from '../../messaging/sends/finalize/finalize.ts';
import type { LoadSettings } from '../../messaging/settings/reader.ts';
import type { DeliverySettings } from '../../messaging/settings/view.ts';
import type { UsedTemplate, UseTemplate } from '../../messaging/templates/use.ts';
import type { LoadConditionFacts } from '../../people/audiences/condition-facts.ts';
import type { Condition } from '../../people/audiences/predicate/types.ts';
import { fittingOf } from '../../people/events/pipeline.ts';
import { type LoadProfiles, type PersonKey, type ProfileView, personKey } from '../../people/profiles/view.ts';
import { type Begun, begin, failedState } from './advance.ts';
import type { StoredStep } from './cursor.ts';
import type { StepsOf, VersionKey } from './definition.ts';
import type { Effects, RunEffects } from './effects.ts';
import { type Due, type NextStep, type Person, personOf, runPlans, type StepActions, stepRun } from './plan.ts';
import type { LoggedFailure, RunLog } from './run-log.ts';
import { RUNS } from './start.ts';
import type { RunsContext } from './statements.ts';
import { tracedBegin } from './step-span.ts';
import type { StepCatalog } from './steps/catalog.ts';
import type { NamedGate, RunContext, StepRun } from './steps/step.ts';
import type { RunRow } from './store.ts';

/** Maximum runs in process. Measured: with 64, a step costs a tenth more, because each commit has fewer. */
const MAX_IN_HAND = 128;
/** Maximum steps of one run per commit. Chosen: a long workflow must not delay others. */
const MAX_STEPS = 32;
/** Maximum steps of all runs per commit. Chosen: some 30 ms, during which SQLite blocks everything else. */
const MAX_STEPS_OF_ALL = 2_048;
/** Maximum weight of a commit's writes. Chosen: that many steps fit unless they move users between many audiences. */
const MAX_WEIGHT = 12_000;

/** Data that steps read in addition to their run. */
export type StepReads = {
  readonly loadProfiles: LoadProfiles;
  /** Data for the sends of a batch's steps. */
  readonly lookUpSends: LookUpSends;
  /** Stored templates of steps. */
  readonly useTemplate: UseTemplate;
  /** A/B tests of steps. */
  readonly tests: Pick<SendTests, 'load'>;
  /** Whether the org's plan includes a feature that a step uses. */
  readonly allows: (orgId: string, gate: NamedGate) => Promise<boolean>;
  /** Settings of several scopes. */
  readonly loadSettings: LoadSettings;
  /** Facts of conditions besides profiles. */
  readonly loadKnown: LoadConditionFacts;
};

export type RunEngine = StepReads &
  StepActions & {
    readonly steps: Pick<StepCatalog, 'find' | 'armsOf'>;
    /** Reacts to messages that ended while a step planned them. */
    readonly react: Finalize['react'];
    /** Effects of steps beyond their own rows. */
    readonly effects: RunEffects;
    /** Logs failed runs after the commit. */
    readonly runLog?: RunLog | undefined;
    /** Source of runs that are stepped directly after they start. Absent: all runs are claimed. */
    readonly handoff?: Registration<RunRow, Due>['localHandoff'];
    /** Steps of several versions. */
    loadSteps(keys: readonly VersionKey[]): Promise<StepsOf>;
  };

type QueueContext = Pick<RunsContext, 'storage' | 'tables' | 'clock' | 'ids' | 'statements'> & {
  readonly tracing: Tracing | null;
  readonly scopes: ScopeDirectory;
  readonly log: Pick<WorkLog, 'error'>;
};

/** The same effects; also collects runs that end as failed or with an error. */
const failuresOf = (effects: Effects, failed: LoggedFailure[]): Effects => ({
  ...effects,
  raise: (gathered, run, state, step) => {
    const isStopped = state.status === 'completed' && state.outcome === 'error';
    if (state.status === 'failed' || isStopped)
      failed.push({ ...run, path: run.cursor, error: state.error ?? step?.reason ?? state.outcome });
    effects.raise(gathered, run, state, step);
  },
});

export const versionOf = (scopeAt: ScopeLookup, run: RunRow): VersionKey => ({
  projectKey: scopeAt(run.scopeId).projectKey,
  workflowId: run.workflowId,
  version: run.workflowVersion,
});

/**
 * The queue of runs. Each due run of a batch executes one step, outside any transaction and once per lease. One plan
 * then writes the results: run rows guarded by their fence, step rows, and the effects of the steps. If a run's next
 * step is due at once, it continues within the plan, as long as that step cannot see anything the plan changes. A lost
 * fence drops the run; a concurrently changed profile repeats the plan with the same step results.
 */
export const runRegistration = (
  { storage, tables, clock, ids, scopes, log, tracing, statements: hot }: QueueContext,
  engine: RunEngine,
): Registration<RunRow, Due> => {
  const { steps: catalog } = engine;
  const beginStep = tracing ? tracedBegin(tracing) : begin;
  const attempted = new WeakSet<Due>();

  /** A step that throws is a defect: it fails its own run and no other of the batch. */
  const threw = (run: RunRow, error: unknown): void =>
    log.error({ runId: run.id, scopeId: run.scopeId, path: run.cursor, error }, 'a step threw');
  const { wantOf, writeState, plan } = runPlans({ ...engine, hot, ids, threw });

  const keysOf = (runs: readonly RunRow[]): Map<string, PersonKey> =>
    new Map(runs.map((run) => [personKey(run), personOf(run)]));

  const loadPeople = async (due: readonly Due[]): Promise<Map<string, Person>> => {
    const keys = keysOf(due.map(({ run }) => run));
    const stored = await engine.loadProfiles([...keys.values()]);
    return new Map(
      [...keys].map(([name, key]) => [name, { key, stored: stored.get(name), current: stored.get(name) }]),
    );
  };

  /**
   * Errors that are no defect, such as an unavailable database or a stopping worker, are rethrown, and the run is
   * claimed again.
   */
  const runStep = (
    run: RunRow,
    seen: StepRun,
    steps: readonly StoredStep[] | null,
    reads: Omit<RunContext, 'run' | 'path' | 'now' | 'signal'>,
    signal: AbortSignal,
  ): Begun | Promise<Begun> => {
    const failed = (error: unknown): Begun => {
      if (signal.aborted || isUnavailable(error)) throw error;
      threw(run, error);
      return { kind: 'failed', error: 'step_threw' };
    };
    try {
      const begun = beginStep(catalog, steps, { run: seen, path: run.cursor, now: clock.now(), signal, ...reads });
      return begun instanceof Promise ? begun.catch(failed) : begun;
    } catch (error) {
      return failed(error);
    }
  };

  const nextStepOf = (
    steps: readonly StoredStep[] | null,
    reads: Pick<RunContext, 'template' | 'variantTexts' | 'mayUse' | 'orgTimezone' | 'mailTracking'>,
    signal: AbortSignal,
  ): Due['runNext'] => {
    const begun = new Map<string, NextStep | Promise<NextStep>>();
    const begins: Due['runNext'] = (run, seen, profile) => {
      let asksDatabase = false;
      const known = async () => {
        asksDatabase = true;
        return { isMember: () => null, tallyOf: () => null };
      };
      const unlessQueried = (found: Begun): NextStep => (asksDatabase ? null : found);
      try {
        const found = runStep(run, seen, steps, { ...reads, profile: async () => profile, known }, signal);
        return found instanceof Promise ? found.then(unlessQueried, () => null) : unlessQueried(found);
      } catch {
        // Not a defect: the previous steps are written, and this step runs under another lease.
        return null;
      }
    };
    return (run, seen, profile) => {
      const known = begun.get(run.cursor);
      const found = known === undefined ? begins(run, seen, profile) : known;
      begun.set(run.cursor, found);
      return found;
    };
  };

  return {
    name: RUNS,
    claim: claimable(RUNS, tables.runs),
    maxInHand: MAX_IN_HAND,
    ...(engine.handoff ? { localHandoff: engine.handoff } : {}),
    process: async (rows, done, { signal, draining, giveBack }) => {
      const scopeAt = await scopes.load(rows.map(scopeKey));
      const stepsOf = await engine.loadSteps(rows.map((run) => versionOf(scopeAt, run)));
      if (draining.aborted) return giveBack(rows);
      let people: ReturnType<LoadProfiles> | undefined;
      const profileOf = async (run: RunRow): Promise<ProfileView | undefined> => {
        people ??= engine.loadProfiles([...keysOf(rows).values()]);
        return (await people).get(personKey(personOf(run)));
      };
      const templates = new Map<string, Promise<UsedTemplate | null>>();
      const templateOf = (run: RunRow): RunContext['template'] => {
        const { projectKey } = scopeAt(run.scopeId);
        return (channel, id) => {
          const key = `${projectKey}/${channel}/${id}`;
          const read = templates.get(key) ?? engine.useTemplate({ projectKey }, channel, id);
          templates.set(key, read);
          return read;
        };
      };
      let settings: ReturnType<LoadSettings> | undefined;
      const settingsOf = async (run: RunRow): Promise<DeliverySettings> => {
        settings ??= engine.loadSettings(rows);
        return (await settings)(run);
      };
      const each = rows.map(async (run) => {
        const steps = stepsOf(versionOf(scopeAt, run));
        const shared = {
          template: templateOf(run),
          variantTexts: async (channel: Channel, abTestId: string) => {
            const ref = { ...scopeOf(run), abTestId };
            return (await engine.tests.load([ref]))({ ...ref, channel })?.texts ?? [];
          },
          mayUse: (gate: NamedGate) => engine.allows(scopeAt(run.scopeId).orgId, gate),
          orgTimezone: async () => (await settingsOf(run)).orgDefaultTimezone,
          mailTracking: async () => (await settingsOf(run)).channels.email.tracking,
        };
        const own = {
          profile: () => profileOf(run),
          known: (condition: Condition) => engine.loadKnown(scopeOf(run), run.person, condition, clock.now()),
        };
        const begun = await runStep(run, stepRun(run), steps, { ...shared, ...own }, signal);
        done(run, { run, begun, runNext: nextStepOf(steps, shared, signal) });
      });
      // Errors are thrown only now, so that steps that ran are reported and not executed again.
      const failure = (await Promise.allSettled(each)).find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
    },
    commit: async (outcomes) => {
      // After a database error the next try plans single steps, so that all steps before the faulty one are written.
      const isTried = outcomes.some((one) => attempted.has(one));
      for (const one of outcomes) attempted.add(one);
      /** Plans as many of the first `count` runs as fit one commit. */
      const planOf = async (all: readonly Due[], count: number, isFirstTry: boolean): Promise<PartPlan<Due>> => {
        const due = all.slice(0, count);
        const runs = due.map(({ run }) => run);
        const [people, scopeAt, lookup, effects] = await Promise.all([
          loadPeople(due),
          scopes.load(runs.map(scopeKey)),
          engine.lookUpSends(due.flatMap(wantOf)),
          engine.effects.load(runs, { isFirstTry, isJoined: false }),
        ]);
        const now = clock.now();
        const most = isTried ? 1 : Math.min(MAX_STEPS, Math.ceil(MAX_STEPS_OF_ALL / due.length));
        const failed: LoggedFailure[] = [];
        const relevant = failuresOf(effects, failed);
        const planned = await plan(due, { people, scopeAt, lookup, effects: relevant, now, most });
        const reacted = await engine.react(planned.changes, now);
        const writes = [...planned.writes, ...reacted.writes];
        const fitting = fittingOf(due.length, { writes, extraWeight: 0 }, MAX_WEIGHT);
        if (fitting < due.length) return planOf(all, fitting, isFirstTry);
        const wakes = [...planned.wakes, ...reacted.wakes];
        const logged: CommitHook[] =
          failed.length === 0 ? [] : [{ items: [], afterCommit: () => engine.runLog?.failed(failed) }];
        return { writes, wakes, hooks: [...(reacted.hooks ?? []), ...logged], rest: all.slice(due.length) };
      };
      const isDone = await commitInParts(storage, outcomes, {
        plan: (due, failed) => planOf(due, due.length, failed.size === 0),
        isLost: ({ run }, failed) => failed.has(run.id),
      });
      if (!isDone) throw new Error('these people change faster than a step is planned');
    },
    deadLetter: async (run, reason) => {
      const state = failedState(run, clock.now(), reason);
      const gathered = { now: clock.now(), writes: [writeState(run, state)], wakes: new Set<string>() };
      (await engine.effects.load([run], { isFirstTry: true, isJoined: false })).raise(gathered, run, state, null);
      await storage.commit({ writes: gathered.writes, wakes: [...gathered.wakes] });
      engine.runLog?.failed([{ ...run, error: reason, path: run.cursor }]);
    },
  };
};
