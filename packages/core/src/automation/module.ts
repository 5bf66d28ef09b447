// Composes runs, workflows and models. Runs wait for models and webhooks, which resume them through `waitingStepsOf`.
// It is built before both, so that no module depends on a later one.

import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import type { InScope, ProjectScope, Scope } from '../foundation/scope.ts';
import type { SendTests } from '../messaging/sends/deliver/variants.ts';
import type { Sending } from '../messaging/sends/sending.ts';
import type { LoadSettings } from '../messaging/settings/reader.ts';
import type { UseTemplate } from '../messaging/templates/use.ts';
import type { LoadConditionFacts } from '../people/audiences/condition-facts.ts';
import type { IsMemberWithTraits } from '../people/audiences/member-with-traits.ts';
import type { Emitter } from '../people/events/emit.ts';
import type { BoundReaction } from '../people/events/pipeline.ts';
import type { LoadProfiles } from '../people/profiles/view.ts';
import type { AnswerOnce } from '../platform/idempotency/once.ts';
import type { Plans } from '../platform/plans/plans.ts';
import type { AiOptions } from './ai/api.ts';
import { type AiPlatform, aiModule } from './ai/module.ts';
import {
  type RunContributions,
  type RunNeeds,
  type Runs,
  type RunsPlatform,
  runContributions,
  runsModule,
  type WaitingSteps,
  waitingStepsOf,
} from './runs/module.ts';
import type { LackingReads } from './workflows/load-lacking.ts';
import {
  type WorkflowNeeds,
  type WorkflowReads,
  type Workflows,
  type WorkflowsPlatform,
  workflowContributions,
  workflowsModule,
} from './workflows/module.ts';

export type AutomationPlatform = RunsPlatform & WorkflowsPlatform & AiPlatform;

/** Built first, from the platform only: used by emitters, audiences and sends. */
export type AutomationContributions = {
  readonly name: 'automation';
  readonly messageReactions: RunContributions['messageReactions'];
  readonly internal: Pick<RunContributions['internal'], 'loadCauses'> &
    Pick<WorkflowReads, 'listeners' | 'needsMemberships' | 'workflowsNaming'> & {
      /** Both are for `automationModule`. */
      readonly runs: RunContributions;
      readonly workflows: WorkflowReads;
    };
};

export const automationContributions = (platform: AutomationPlatform): AutomationContributions => {
  const runs = runContributions(platform);
  const { internal: workflows } = workflowContributions(platform);
  const { listeners, needsMemberships, workflowsNaming } = workflows;
  return {
    name: 'automation',
    messageReactions: runs.messageReactions,
    internal: { loadCauses: runs.internal.loadCauses, listeners, needsMemberships, workflowsNaming, runs, workflows },
  };
};

export type AutomationNeeds = {
  readonly options: {
    readonly publicUrl?: string | undefined;
    readonly outbound?: OutboundOptions | undefined;
    readonly ai?: AiOptions | undefined;
    readonly sandbox?: { readonly callModels?: boolean | undefined } | undefined;
  };
  readonly emitter: Emitter;
  readonly answerOnce: AnswerOnce;
  readonly plans: Pick<Plans, 'require' | 'allows'>;
  isOrg(orgId: string): Promise<boolean>;
  /** The `prod` scope of a project. */
  prodScope(project: ProjectScope): Promise<Scope>;
  readonly secrets: LackingReads['secrets'];
  readonly profiles: { readonly load: LoadProfiles } & Pick<RunNeeds, 'usersOf' | 'putTraits'>;
  /** The user into which an anonymous id was merged; null if there is none. */
  userOf(scope: InScope, anonymousId: string): Promise<string | null>;
  readonly audiences: LackingReads['audiences'] & { readonly downstreamReactions: readonly BoundReaction[] };
  readonly loadKnown: LoadConditionFacts;
  readonly isMemberWithTraits: IsMemberWithTraits;
  readonly sends: Pick<Sending, 'plan' | 'react' | 'lookUpSends' | 'dryRun' | 'lacking'>;
  readonly eraseSends: RunNeeds['eraseSends'];
  readonly loadSettings: LoadSettings;
  readonly templates: LackingReads['templates'] & { readonly use: UseTemplate };
  readonly abTests: LackingReads['abTests'] & { readonly tests: Pick<SendTests, 'load'> };
  /** The available step types. */
  readonly steps: RunNeeds['steps'];
  readonly postStep: RunNeeds['postStep'];
  readonly pureSends: WorkflowNeeds['simulation']['pureSends'];
};

/** Functions for other modules. */
export type Automation = Pick<Runs, 'claim' | 'workflowsOf'> &
  Workflows & {
    readonly waitingSteps: WaitingSteps;
  };

/** Built after audiences, sends, templates and A/B tests, and before webhooks and ingest, which runs its reactions. */
export const automationModule = (
  platform: AutomationPlatform,
  { internal: { runs: runParts, workflows: reads } }: AutomationContributions,
  needs: AutomationNeeds,
) => {
  const { options, profiles, audiences, sends, templates, abTests, plans, loadSettings, loadKnown } = needs;
  const { publicUrl = null, outbound, sandbox } = options;
  const { loadSteps, loadTriggers, loadAwaited } = reads;
  const loadProfiles = profiles.load;

  const { armsOf } = needs.steps;
  const waiting = waitingStepsOf(platform, runParts, { armsOf, loadSteps, loadProfiles });
  const mayShare = (orgId: string): Promise<boolean> => plans.allows(orgId, 'sharedModels');
  const ai = aiModule(platform, { ai: options.ai, sandbox, outbound, isOrg: needs.isOrg, mayShare, steps: waiting });

  const stepReads = {
    ...{ loadProfiles, loadSettings, loadKnown, lookUpSends: sends.lookUpSends, useTemplate: templates.use },
    ...{ allows: plans.allows, tests: abTests.tests },
  };
  const runs = runsModule(platform, runParts, {
    ...{ ...stepReads, loadSteps, loadTriggers, loadAwaited, publicUrl },
    ...{ steps: needs.steps, emitter: needs.emitter, audienceReactions: audiences.downstreamReactions },
    ...{ planSend: sends.plan, react: sends.react, postStep: needs.postStep, askModel: ai.internal.planCall },
    ...{ usersOf: profiles.usersOf, putTraits: profiles.putTraits, userOf: needs.userOf },
    eraseSends: needs.eraseSends,
  });
  const { prodScope, secrets, isMemberWithTraits, pureSends } = needs;
  const { countRuns, claim, workflowsOf, runsOf, runStateOf } = runs.internal;
  const workflows = workflowsModule(platform, {
    ...{ reads, outbound, answerOnce: needs.answerOnce, requirePlan: plans.require, countRuns },
    lacking: { prodScope, sends, templates, audiences, abTests, secrets, ai: ai.internal },
    simulation: { ...stepReads, publicUrl, dryRun: sends.dryRun, isMemberWithTraits, pureSends },
    runs: { runsOf, runStateOf },
  });
  return {
    name: 'automation',
    api: workflows.api,
    runsApi: runs.api,
    /** Model providers by org. */
    openApi: ai.openApi,
    internal: { ...workflows.internal, claim, workflowsOf, waitingSteps: waiting } satisfies Automation,
    downstreamReactions: runs.downstreamReactions,
    queues: [...runs.queues, ...ai.queues],
    erasers: runs.erasers,
    expiring: runs.expiring,
    maintenance: ai.maintenance,
    sealedValues: ai.sealedValues,
    close: ai.close,
  };
};
