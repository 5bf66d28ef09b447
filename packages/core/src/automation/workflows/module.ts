import { type OutboundOptions, savedUrlRules } from '../../delivery/providers/outbound.ts';
import type { InProject, ProjectScope } from '../../foundation/scope.ts';
import type { Subscriber } from '../../people/events/emit.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StepsOf, VersionKey } from '../runs/definition.ts';
import type { CountRuns } from '../runs/figures/figures.ts';
import type { RunReads } from '../runs/runs.ts';
import type { StartedBy } from '../runs/start.ts';
import type { WorkflowsApi } from './api.ts';
import { awaitedCache, type IsAwaited } from './awaited.ts';
import { workflowDefinitions } from './definitions.ts';
import { type ExplainEvent, type ExplainNeeds, eventExplainer } from './explain.ts';
import { type LackingReads, lackingOf } from './load-lacking.ts';
import { type NamingWorkflow, workflowsNaming } from './naming.ts';
import { workflowRecords } from './records.ts';
import { type SimulatorContext, simulator } from './simulate/simulator.ts';
import { gatedBundles } from './step-gates.ts';
import type { WorkflowTables } from './tables.ts';
import { type NeedsMemberships, triggerAudiences, triggerCache, triggerListener, triggerVerdicts } from './triggers.ts';
import { workflowVersions } from './versions.ts';

export type WorkflowsPlatform = Platform<WorkflowTables>;

/** Reads of definitions for emitters, audiences and runs. */
export type WorkflowReads = {
  /** Subscriptions of triggers and waiting steps to raised events. */
  readonly listeners: readonly Subscriber[];
  /** Decides for which events triggers need audiences. */
  readonly needsMemberships: NeedsMemberships;
  /** Workflows of a project that refer to an id. */
  workflowsNaming(project: InProject, id: string): Promise<readonly NamingWorkflow[]>;
  loadTriggers(projects: readonly InProject[]): Promise<StartedBy>;
  loadAwaited(projects: readonly InProject[]): Promise<IsAwaited>;
  loadSteps(keys: readonly VersionKey[]): Promise<StepsOf>;
  /** For `workflowsModule`: the definitions of a project may have changed. */
  forget(project: InProject): void;
};

/** Built from the platform only. Owns the caches of triggers and awaited events; has no timer or subscription. */
export const workflowContributions = (
  platform: WorkflowsPlatform,
): { readonly name: 'workflows'; readonly internal: WorkflowReads } => {
  const triggers = triggerCache(platform);
  const awaited = awaitedCache(platform);

  return {
    name: 'workflows',
    internal: {
      listeners: [triggerListener(triggers), awaited],
      needsMemberships: triggerAudiences(triggers),
      workflowsNaming: workflowsNaming(platform),
      loadTriggers: triggerVerdicts(triggers),
      loadAwaited: awaited.load,
      loadSteps: workflowVersions(platform).load,
      forget: (project) => {
        triggers.invalidate(project);
        awaited.invalidate(project);
      },
    },
  };
};

export type WorkflowNeeds = {
  readonly reads: Pick<WorkflowReads, 'forget'>;
  readonly outbound: OutboundOptions | undefined;
  readonly answerOnce: AnswerOnce;
  readonly requirePlan: RequirePlan;
  readonly lacking: LackingReads;
  readonly simulation: Omit<SimulatorContext, 'clock' | 'find'>;
  readonly countRuns: CountRuns;
  readonly runs: Pick<RunReads, 'runsOf' | 'runStateOf'>;
};

/** Functions for other modules. */
export type Workflows = {
  explainer(needs: Omit<ExplainNeeds, 'runs'>): ExplainEvent;
};

/** Workflow definitions, their statistics and simulations. Built after runs, which it counts. */
export const workflowsModule = (platform: WorkflowsPlatform, needs: WorkflowNeeds) => {
  const { reads, outbound, answerOnce, requirePlan, simulation, countRuns, runs } = needs;
  const rules = {
    urls: savedUrlRules(outbound),
    lacking: lackingOf(needs.lacking),
    requirePlan,
    changed: reads.forget,
  };
  const records = workflowRecords(platform, rules);
  const bundles = workflowDefinitions(platform, { ...rules, answerOnce, prodScope: needs.lacking.prodScope });

  const find = async (scope: ProjectScope, id: string) => {
    const workflow = await records.get(scope, id);
    return { ...workflow, steps: [...workflow.steps] };
  };

  return {
    name: 'workflows',
    api: {
      ...gatedBundles(requirePlan, bundles),
      ...records,
      figures: async (scope, id, query) => countRuns(scope, await records.get(scope, id), query),
      simulate: simulator({ ...simulation, clock: platform.clock, find }),
    } satisfies Partial<WorkflowsApi>,
    internal: {
      explainer: (needs) => eventExplainer(platform, { ...needs, runs }),
    } satisfies Workflows,
  };
};
