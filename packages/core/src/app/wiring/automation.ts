// Wires what happens by itself: workflows, the runs that events start, and the queue that takes the service's own events
// through what listens to them. The order of the reactions behind storing stands here.

import { runControl } from '../../automation/runs/control.ts';
import { runRegistration } from '../../automation/runs/dispatch.ts';
import { runEffects } from '../../automation/runs/effects.ts';
import { runFigures } from '../../automation/runs/figures/figures.ts';
import { runLog } from '../../automation/runs/run-log.ts';
import { runsEngine } from '../../automation/runs/runs.ts';
import { RUNS, startRuns } from '../../automation/runs/start.ts';
import type { RunStatements } from '../../automation/runs/statements.ts';
import type { PostStep } from '../../automation/runs/step-request.ts';
import type { StepCatalog } from '../../automation/runs/steps/catalog.ts';
import type { RunRow } from '../../automation/runs/store.ts';
import { resumeWrite, waitingSteps } from '../../automation/runs/waiting.ts';
import { wakeRuns } from '../../automation/runs/waits.ts';
import type { AwaitedCache } from '../../automation/workflows/awaited.ts';
import { workflowDefinitions } from '../../automation/workflows/definitions.ts';
import { workflowRecords } from '../../automation/workflows/records.ts';
import { type TriggerCache, verdictsOf } from '../../automation/workflows/triggers.ts';
import { workflowVersions } from '../../automation/workflows/versions.ts';
import {
  audiencesIn,
  type LoadLacking,
  secretNamesIn,
  templatesIn,
  testsIn,
} from '../../automation/workflows/warnings.ts';
import type { Storage } from '../../database/storage.ts';
import { savedUrlRules } from '../../delivery/providers/outbound.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import type { InProject, InScope, ProjectScope, Scope } from '../../foundation/scope.ts';
import { adoption } from '../../jobs/adoption.ts';
import type { abTestsEngine } from '../../messaging/ab-tests/ab-tests.ts';
import type { Sending } from '../../messaging/sends/sending.ts';
import type { LoadSettings } from '../../messaging/settings/settings.ts';
import type { templatesEngine } from '../../messaging/templates/templates.ts';
import type { IsGivenMember } from '../../people/audiences/given-member.ts';
import type { LoadKnown } from '../../people/audiences/known.ts';
import type { Emitter } from '../../people/events/emit.ts';
import { type BoundReaction, bindReaction } from '../../people/events/pipeline.ts';
import { raisedRegistration } from '../../people/events/raised.ts';
import type { EventStatements } from '../../people/events/statements.ts';
import type { profilesEngine } from '../../people/profiles/profiles.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { Plans, RequirePlan } from '../../platform/plans/plans.ts';
import { guardScopes } from '../../platform/tenancy/guard.ts';
import type { Scopes } from '../../platform/tenancy/scope-directory.ts';
import type { WorkflowSecrets } from '../../platform/tenancy/secrets/workflow-secrets.ts';
import type { StepRuns } from '../../webhooks/deliver/steps.ts';
import type { Beckon } from '../api.ts';
import type { BeckonOptions } from '../options.ts';
import type { Tables } from '../tables.ts';
import type { aiStepsOf } from './ai-steps.ts';
import { planGates } from './plan-gates.ts';
import { simulator } from './simulations.ts';

export type AutomationDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: Scopes;
  readonly log: Log;
  readonly options: Pick<BeckonOptions, 'publicUrl' | 'outbound'>;
  /** What steps that post write. */
  readonly postStep: PostStep;
  /** What is kept sealed for them. */
  readonly secrets: WorkflowSecrets;
  /** Steps that ask a model. */
  readonly ai: ReturnType<typeof aiStepsOf>;
  readonly steps: Pick<StepCatalog, 'find' | 'armsOf'>;
  readonly hotEvents: EventStatements;
  readonly hotRuns: RunStatements;
  readonly emitter: Emitter;
  readonly answerOnce: AnswerOnce;
  readonly requirePlan: RequirePlan;
  readonly allows: Plans['allows'];
  readonly triggers: TriggerCache;
  readonly awaited: AwaitedCache;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'load' | 'presentBefore' | 'putTraits' | 'usersOf'>;
  readonly sending: Sending;
  readonly loadSettings: LoadSettings;
  readonly loadKnown: LoadKnown;
  readonly isGivenMember: IsGivenMember;
  readonly templates: Pick<ReturnType<typeof templatesEngine>, 'lacking' | 'use'>;
  readonly abTests: Pick<ReturnType<typeof abTestsEngine>, 'textsOf' | 'tests'>;
  readonly audiences: {
    readonly behind: readonly BoundReaction[];
    /** Those of the ids that neither environment of a project has. */
    readonly lacking: (project: ProjectScope, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  };
  /** Definitions serve both environments; what they lack is asked of production. */
  readonly prodScope: (project: ProjectScope) => Promise<Scope>;
  /** Who somebody anonymous turned out to be; null: nobody so far. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
};

export const automationOf = (deps: AutomationDeps) => {
  const { storage, tables, clock, ids, scopes, log, emitter, triggers, profiles, sending, templates, hotRuns } = deps;
  const { publicUrl = null } = deps.options;

  const lacking: LoadLacking = async (scope, workflows) => {
    const environment = 'scopeId' in scope ? scope : await deps.prodScope(scope);
    const [channels, unknown, audiences, tests, missing, hasModels] = await Promise.all([
      sending.lacking(environment, CHANNELS),
      templates.lacking(scope, templatesIn(workflows)),
      deps.audiences.lacking(scope, audiencesIn(workflows)),
      deps.abTests.textsOf(environment, testsIn(workflows)),
      deps.secrets.lacking(environment, secretNamesIn(workflows)),
      deps.ai.hasProvider(scope.orgId),
    ]);
    return { channels, templates: unknown, audiences, tests, secrets: missing, isModelless: !hasModels };
  };
  const changed = (project: InProject): void => {
    triggers.invalidate(project);
    deps.awaited.invalidate(project);
  };
  const urls = savedUrlRules(deps.options.outbound);
  const defining = { storage, tables, clock, ids, urls, lacking, requirePlan: deps.requirePlan, changed };
  const versions = workflowVersions({ storage, tables });

  const adopted = adoption<RunRow>();
  const told = runLog({ log, clock });
  // Behind storing, of events from outside and of the service's own alike.
  const behind: readonly BoundReaction[] = [
    // Before the triggers: who is in an audience decides what starts.
    ...deps.audiences.behind,
    bindReaction(wakeRuns({ storage, hot: hotRuns, loadAwaited: deps.awaited.load, usersOf: profiles.usersOf })),
    bindReaction(
      startRuns({
        storage,
        hot: hotRuns,
        ids,
        emitter,
        adoption: adopted,
        log: told,
        loadTriggers: async (projects) => {
          const triggersOf = await triggers.load(projects);
          return (project, event, isMember) => verdictsOf(triggersOf(project), event, isMember);
        },
      }),
    ),
  ];
  const effects = runEffects({ storage, hot: hotRuns, emitter, scopes, behind, putTraits: profiles.putTraits });
  const runs = runRegistration({
    storage,
    tables,
    hot: hotRuns,
    clock,
    scopes,
    ids,
    log,
    steps: deps.steps,
    loadProfiles: profiles.load,
    loadSettings: deps.loadSettings,
    loadKnown: deps.loadKnown,
    lookUpSends: sending.lookUpSends,
    planSend: sending.plan,
    react: sending.react,
    publicUrl,
    askModel: deps.ai.askModel,
    postStep: deps.postStep,
    effects,
    runLog: told,
    useTemplate: templates.use,
    allows: deps.allows,
    tests: deps.abTests.tests,
    loadSteps: versions.load,
    adoption: adopted,
  });
  const waiting = waitingSteps({
    storage,
    hot: hotRuns,
    scopes,
    armsOf: deps.steps.armsOf,
    loadSteps: versions.load,
    loadProfiles: profiles.load,
  });
  const raised = raisedRegistration({
    storage,
    tables,
    hot: deps.hotEvents,
    clock,
    scopes,
    reactions: [bindReaction(profiles.presentBefore(behind)), ...behind],
  });
  const reads = runsEngine({ storage, tables });
  const records = workflowRecords(defining);
  const figuresOf = runFigures({ storage, tables, clock, steps: deps.steps });

  return {
    behind,
    /** What deliveries of steps need of their runs. */
    stepRuns: {
      isWaiting: async (step) => (await waiting([step])).has(step),
      tell: (step, news, now) => resumeWrite(hotRuns, step, { ...news }, now),
      wakes: [RUNS],
    } satisfies StepRuns,
    registrations: { runs, raised, models: deps.ai.registration({ hot: hotRuns, waiting }) },
    /** What started and what became of it, for the explanation of an event. */
    reads,
    api: guardScopes(
      {
        ...planGates(deps.requirePlan).bundles(
          workflowDefinitions({ ...defining, answerOnce: deps.answerOnce, prodScope: deps.prodScope }),
        ),
        ...records,
        figures: async (scope: Scope, id, query) => figuresOf(scope, await records.get(scope, id), query),
        simulate: simulator({
          now: () => clock.now(),
          publicUrl,
          loadProfiles: profiles.load,
          lookUpSends: sending.lookUpSends,
          dryRun: sending.dryRun,
          useTemplate: templates.use,
          allows: deps.allows,
          loadSettings: deps.loadSettings,
          loadKnown: deps.loadKnown,
          isGivenMember: deps.isGivenMember,
          tests: deps.abTests.tests,
          find: (scope, id) => records.get(scope, id),
        }),
        ...reads.api,
        ...runControl({ storage, tables, hot: hotRuns, clock, effects, userOf: deps.userOf }),
      },
      scopes,
    ) satisfies Beckon['workflows'],
  };
};
