import type { Write } from '../../database/commit/write-set.ts';
import { type OutboundOptions, savedUrlRules } from '../../delivery/providers/outbound.ts';
import { aiProvider } from '../../delivery/transports/ai/provider.ts';
import type { Scope } from '../../foundation/scope.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AiOptions } from './api.ts';
import { modelAsker, sharedAiOf } from './ask-model.ts';
import { aiRegistration, type ModelSteps, planAiCall, type WaitingStep } from './queue.ts';
import { aiSettings, hasProvider, sealedAiKeys } from './settings.ts';
import { aiStatements } from './statements.ts';
import type { AiTables } from './tables.ts';
import { aiUsage } from './usage.ts';

export type AiPlatform = Platform<AiTables>;

export type AiNeeds = {
  readonly ai: AiOptions | undefined;
  readonly sandbox: { readonly callModels?: boolean | undefined } | undefined;
  readonly outbound: OutboundOptions | undefined;
  isOrg(orgId: string): Promise<boolean>;
  /** Whether an org's plan includes the deployment's provider. */
  mayShare(orgId: string): Promise<boolean>;
  readonly steps: ModelSteps;
};

/** Functions for other modules. */
export type Ai = {
  /** Whether steps of an org have a provider. Throws NOT_FOUND for an unknown org. */
  hasProvider(orgId: string): Promise<boolean>;
  /** Enqueues the call of a step that starts to wait; null: no model is called in this scope. */
  planCall(
    step: WaitingStep,
    scope: Scope,
  ): { readonly writes: readonly Write[]; readonly wakes: readonly string[] } | null;
};

/** Model providers, and the queue of model calls. Built after the reads of waiting steps, before runs. */
export const aiModule = (platform: AiPlatform, { ai, sandbox, outbound, isOrg, mayShare, steps }: AiNeeds) => {
  const { storage, tables, clock, ids } = platform;
  const statements = aiStatements(tables);
  const usage = aiUsage(platform);
  const shared = sharedAiOf(ai);
  const urls = savedUrlRules(outbound);
  const { allowCidrs, ca } = outbound ?? {};
  const asker = modelAsker(platform, {
    ...{ usage, shared, urls, mayShare, models: ai?.models ?? {} },
    open: (settings) => aiProvider(settings, { clock, allowCidrs, ca }),
  });
  const settings = aiSettings(platform, { usage, urls, isOrg });
  const calls = { statements, clock, ids, isSandboxed: sandbox?.callModels !== true };
  const registration = aiRegistration({ storage, tables, clock, statements }, asker.ask, steps);
  const makeQueue: MakeQueue = (options) => queue(options, registration);

  return {
    name: 'ai',
    // Takes an org id instead of a scope: only the operator can reach it.
    openApi: settings,
    internal: {
      hasProvider: (orgId) => hasProvider({ hasShared: shared !== null, mayShare, settings }, orgId),
      planCall: (step, scope) => planAiCall(calls, step, scope),
    } satisfies Ai,
    queues: [makeQueue],
    maintenance: [{ name: 'tokens of models', run: usage.sweep }],
    sealedValues: [sealedAiKeys({ storage, tables })],
    close: asker.close,
  };
};
