import type { Write } from '../../database/commit/write-set.ts';
import type { Claimable } from '../../database/statements/claim.ts';
import type { InProject, InScope, Scope } from '../../foundation/scope.ts';
import { localHandoff } from '../../jobs/local-handoff.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import { type BoundMessageReaction, bindMessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import type { LoadCauses } from '../../messaging/sends/lifecycle.ts';
import type { Emitter } from '../../people/events/emit.ts';
import { type BoundReaction, bindReaction, type IngestDraft } from '../../people/events/pipeline.ts';
import type { TraitsChange } from '../../people/profiles/change.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AiTask } from '../ai/task.ts';
import type { RunsApi } from './api.ts';
import { causesOfRuns } from './causes.ts';
import { runControl } from './control.ts';
import { type RunEngine, runRegistration } from './dispatch.ts';
import { runEffects } from './effects.ts';
import { type EraseSends, runEraser, runExpiry } from './erase.ts';
import { type CountRuns, runFigures } from './figures/figures.ts';
import { runLog } from './run-log.ts';
import { type RunReads, runsEngine } from './runs.ts';
import { RUNS, type StartedBy, startRuns } from './start.ts';
import { type RunStatements, runStatements } from './statements.ts';
import { stepOutcomes } from './step-outcomes.ts';
import type { StepPosition } from './step-request.ts';
import type { RunRow } from './store.ts';
import type { RunTables } from './tables.ts';
import { modelTasks, resumeWrite, type WaitingReads, waitingSteps } from './waiting.ts';
import { type AnonymousKey, wakeRuns } from './waits.ts';

export type RunsPlatform = Platform<RunTables>;

/** What sends use of runs. Built from the platform only. */
export type RunContributions = {
  readonly name: 'runs';
  readonly messageReactions: readonly BoundMessageReaction[];
  readonly internal: {
    readonly loadCauses: LoadCauses;
    /** For the other functions of this file. */
    readonly statements: RunStatements;
  };
};

export const runContributions = ({ storage, tables }: RunsPlatform): RunContributions => {
  const statements = runStatements(tables);
  return {
    name: 'runs',
    messageReactions: [bindMessageReaction(stepOutcomes(statements))],
    internal: { loadCauses: causesOfRuns({ storage, hot: statements }), statements },
  };
};

/** Steps that wait for an external result, for the modules that fetch it. */
export type WaitingSteps = {
  /** False: the run ended or is at another step. */
  isWaiting(step: StepPosition): Promise<boolean>;
  /** Model calls of those steps that still wait; a null task is too large to send. */
  tasksOf<Step extends StepPosition>(
    steps: readonly Step[],
  ): Promise<ReadonlyMap<Step, { readonly scope: Scope; readonly task: AiTask | null }>>;
  /** Makes the run of a step due with its result. */
  resume(step: StepPosition, outcome: Readonly<Record<string, unknown>>, now: Date): Write;
  /** Queues that `resume` fills. */
  readonly wakes: readonly string[];
};

/** Built before the modules that fetch results. */
export const waitingStepsOf = (
  platform: RunsPlatform,
  { internal: { statements } }: RunContributions,
  reads: WaitingReads,
): WaitingSteps => {
  const loadWaiting = waitingSteps({ ...platform, statements }, reads);
  return {
    isWaiting: async (step) => (await loadWaiting([step])).has(step),
    tasksOf: modelTasks(loadWaiting),
    resume: (step, outcome, now) => resumeWrite(statements, step, outcome, now),
    wakes: [RUNS],
  };
};

export type RunNeeds = Omit<RunEngine, 'effects' | 'runLog' | 'handoff'> & {
  readonly emitter: Emitter;
  loadTriggers(projects: readonly InProject[]): Promise<StartedBy>;
  /** Whether a workflow of the project may wait for an event of that name. */
  loadAwaited(projects: readonly InProject[]): Promise<(project: InProject, eventType: string) => boolean>;
  /** Before the triggers: memberships decide which workflows start. */
  readonly audienceReactions: readonly BoundReaction[];
  /** Users into which anonymous ids were merged, by `personTag` of the anonymous profile. */
  usersOf(keys: readonly AnonymousKey[]): Promise<ReadonlyMap<string, string>>;
  /** User into which an anonymous id was merged; null if there is none. */
  userOf(scope: InScope, anonymousId: string): Promise<string | null>;
  putTraits(draft: IngestDraft, change: TraitsChange, tag: string): void;
  readonly eraseSends: EraseSends;
};

/** Functions for other modules. */
export type Runs = RunReads & {
  readonly countRuns: CountRuns;
  /** The queue of runs, for measuring its lag. */
  readonly claim: Claimable<unknown>;
};

/** Starts, steps and controls runs. */
export const runsModule = (platform: RunsPlatform, { internal: { statements } }: RunContributions, needs: RunNeeds) => {
  const { storage, clock, ids, log, scopes } = platform;
  const { emitter, audienceReactions, loadAwaited, loadTriggers, usersOf, userOf, putTraits } = needs;
  const context = { ...platform, statements };
  const hot = statements;
  const handoff = localHandoff<RunRow>();
  const runs = runLog({ log, clock });
  const downstreamReactions: readonly BoundReaction[] = [
    bindReaction(wakeRuns({ storage, hot, loadAwaited, usersOf })),
    bindReaction(startRuns({ storage, hot, ids, emitter, handoff, log: runs, loadTriggers })),
  ];
  const downstream = [...audienceReactions, ...downstreamReactions];
  const effects = runEffects({ storage, hot, emitter, scopes, downstream, putTraits });
  const registration = runRegistration(context, { ...needs, effects, runLog: runs, handoff });
  const makeQueue: MakeQueue = (options) => queue(options, registration);
  const { api, ...reads } = runsEngine(platform);

  return {
    name: 'runs',
    api: { ...api, ...runControl(context, { effects, userOf }) } satisfies RunsApi,
    internal: {
      ...reads,
      countRuns: runFigures(platform, needs.steps.armsOf),
      claim: registration.claim,
    } satisfies Runs,
    downstreamReactions,
    queues: [makeQueue],
    erasers: [runEraser(platform, needs.eraseSends)],
    expiring: [{ name: 'runs', expire: runExpiry(platform) }],
  };
};
