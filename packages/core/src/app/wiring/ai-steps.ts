// Wires steps that ask a model: what they write as they begin to wait, who asks, and how their runs are told.

import type { AiApi } from '../../automation/ai/api.ts';
import { modelAsker, type SharedAi } from '../../automation/ai/asking.ts';
import { AI_CALLS, aiRegistration } from '../../automation/ai/queue.ts';
import { BASE_URLS } from '../../automation/ai/schema.ts';
import { aiSettings, sealedAiKeys } from '../../automation/ai/settings.ts';
import { aiStatements } from '../../automation/ai/statements.ts';
import { aiUsage } from '../../automation/ai/usage.ts';
import { RUNS } from '../../automation/runs/start.ts';
import type { RunStatements } from '../../automation/runs/statements.ts';
import { aiConfig } from '../../automation/runs/steps/ai-action.ts';
import { taskOf } from '../../automation/runs/steps/ai-prompt.ts';
import { stepScopes } from '../../automation/runs/steps/scopes.ts';
import type { RunRow } from '../../automation/runs/store.ts';
import type { waitingSteps } from '../../automation/runs/waiting.ts';
import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { savedUrlRules } from '../../delivery/providers/outbound.ts';
import { aiProvider } from '../../delivery/transports/ai/provider.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { BeckonOptions } from '../options.ts';
import type { Tables } from '../tables.ts';

export type AiStepsDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Pick<Keyring, 'seal' | 'openText'>;
  readonly log: Log;
  readonly options: Pick<BeckonOptions, 'ai' | 'sandbox' | 'outbound'>;
  readonly isOrg: (orgId: string) => Promise<boolean>;
  /** Whether an org's plan lets it use the deployment's provider. */
  readonly mayShare: (orgId: string) => Promise<boolean>;
};

const sharedOf = ({ ai }: AiStepsDeps['options']): SharedAi | null => {
  if (ai?.shared === undefined) return null;
  const { wire = 'openai', baseUrl = BASE_URLS[wire], key = null, prices = {} } = ai.shared;
  return { wire, baseUrl, key, prices };
};

export const aiStepsOf = (deps: AiStepsDeps) => {
  const { storage, tables, clock, ids, options, log } = deps;
  const hot = aiStatements(tables);
  const usage = aiUsage({ storage, tables, clock });
  const shared = sharedOf(options);
  const urls = savedUrlRules(options.outbound);
  const { allowCidrs, ca } = options.outbound ?? {};
  const asker = modelAsker({
    storage,
    tables,
    clock,
    secrets: deps.secrets,
    log,
    usage,
    shared,
    urls,
    models: options.ai?.models ?? {},
    mayShare: deps.mayShare,
    open: (settings) => aiProvider(settings, { clock, allowCidrs, ca }),
  });
  const settings = aiSettings({ storage, tables, clock, ids, secrets: deps.secrets, usage, urls, isOrg: deps.isOrg });

  return {
    api: settings satisfies AiApi,
    sealed: sealedAiKeys({ storage, tables }),
    upkeep: [{ name: 'tokens of models', run: usage.sweep }],
    close: asker.close,
    /** Whether steps of an org have a provider to ask. */
    hasProvider: async (orgId: string): Promise<boolean> =>
      (shared !== null && (await deps.mayShare(orgId))) || (await settings.get(orgId)).configured,
    /** What a step writes as it begins to wait; null in the sandbox, which asks nobody. */
    askModel: (run: RunRow, { environment }: Scope) => {
      if (environment === 'test' && options.sandbox?.callModels !== true) return null;
      const { id: runId, cursor: path, attempt } = run;
      const row = { ...scopeOf(run), id: ids.next(), runId, path, attempt, tries: 0, dueAt: clock.now(), fence: 0 };
      return { writes: [write(hot.ask, row)], wakes: [AI_CALLS] };
    },
    registration: (runs: { readonly hot: RunStatements; readonly waiting: ReturnType<typeof waitingSteps> }) =>
      aiRegistration({
        storage,
        tables,
        hot,
        clock,
        ask: asker.ask,
        tasksOf: async (places) =>
          new Map(
            [...(await runs.waiting(places))].flatMap(([place, { scope, step, run, profile }]) => {
              const config = aiConfig(step);
              return config ? [[place, { scope, task: taskOf(config, stepScopes({ run, profile })) }] as const] : [];
            }),
          ),
        tell: ({ scopeId, runId, path, attempt }, news, now) =>
          write(runs.hot.tell, { scopeId, id: runId, cursor: path, attempt, dueAt: now, wokenBy: { ...news } }),
        wakes: [RUNS],
      }),
  };
};
