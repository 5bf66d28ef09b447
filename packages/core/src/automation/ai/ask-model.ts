// Executes a step's model call: selects provider and model, calls it, validates the answer, and calls once more if it
// is invalid. Prompts contain personal data and are never logged.

import { LRUCache } from 'lru-cache';
import type { AiOutcome, AiProvider } from '../../delivery/transports/ai/port.ts';
import type { AiSettings } from '../../delivery/transports/ai/provider.ts';
import { type UrlRules, urlProblem } from '../../foundation/net/urls.ts';
import { UnreadableSecret } from '../../foundation/secrets.ts';
import { boundedLog } from '../../jobs/bounded-log.ts';
import type { Platform } from '../../platform/platform.ts';
import { answerOf } from './answer.ts';
import type { StepUsage } from './answers.generated.ts';
import type { AiOptions } from './api.ts';
import { type AiModels, type AiPrices, BASE_URLS } from './schema.ts';
import { aiPlaceOf } from './settings.ts';
import { type AiSettingsRow, aiStore } from './store.ts';
import type { AiTables } from './tables.ts';
import { type AiTask, FALLBACK, type Rejected, requestOf } from './task.ts';
import type { AiUsageCount } from './usage.ts';

/** Maximum open providers. Chosen: as transports, Rules for every transport (9). */
const MAX_PROVIDERS = 500;
/** Delays before a failed call is repeated. Source: transports, AI providers. */
const AGAIN_MS = [2_000, 10_000] as const;
/** Maximum delay that a provider may request, in milliseconds. Chosen: an hour. */
const MAX_AGAIN_MS = 3_600_000;
const MILLION = 1_000_000;

/** Why there is no answer; the step's reason. */
export const UNAVAILABLE_REASONS = [
  'no_key',
  'no_model',
  'over_quota',
  'prompt_too_large',
  'key_refused',
  'key_unreadable',
  'provider_failed',
  'provider_unavailable',
  'invalid_answer',
  'no_answer',
] as const;
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

/** Result of a call. `later`: it may be repeated at that time. */
export type ModelResult =
  | { readonly kind: 'answered'; readonly output: Readonly<Record<string, unknown>>; readonly usage: StepUsage }
  | {
      readonly kind: 'unavailable';
      readonly reason: UnavailableReason;
      /** Output that is saved nevertheless. */
      readonly output: Readonly<Record<string, unknown>> | null;
      /** Null: no call used tokens. */
      readonly usage: StepUsage | null;
    }
  | { readonly kind: 'later'; readonly at: Date };

/** The deployment's provider, for orgs without their own. */
export type SharedAi = AiSettings & { readonly prices: AiPrices };

/** The deployment's provider with its defaults; null if the operator configured none. Throws nothing. */
export const sharedAiOf = (options: AiOptions | undefined): SharedAi | null => {
  if (options?.shared === undefined) return null;
  const { wire = 'openai', baseUrl = BASE_URLS[wire], key = null, prices = {} } = options.shared;
  return { wire, baseUrl, key, prices };
};

export type AskingRules = {
  readonly usage: Pick<AiUsageCount, 'isOver' | 'count'>;
  /** Null: the deployment has none. */
  readonly shared: SharedAi | null;
  /** Rules for base URLs of orgs. They do not apply to the operator's provider. */
  readonly urls: UrlRules;
  /** Default models of orgs. */
  readonly models: AiModels;
  /** Whether an org's plan includes the deployment's provider. */
  mayShare(orgId: string): Promise<boolean>;
  open(settings: AiSettings): AiProvider;
};

type Source = {
  readonly provider: AiProvider;
  readonly models: AiModels;
  readonly prices: AiPrices;
  /** Null: the deployment's provider. */
  readonly own: AiSettingsRow | null;
};

const costOf = (prices: AiPrices, model: string, input: number, output: number): number | null => {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  return price ? (input * price.input + output * price.output) / MILLION : null;
};

type Unavailable = Extract<ModelResult, { kind: 'unavailable' }>;
const unavailable = (reason: UnavailableReason, task: AiTask, usage: StepUsage | null = null): Unavailable => ({
  kind: 'unavailable',
  reason,
  output: task.flavor === 'decide' && task.hasFallback ? { choice: FALLBACK } : null,
  usage,
});

export type ModelAsker = {
  /**
   * Calls a model for an org. Rejects with the reason of `signal`, and with database errors.
   *
   * @param tries failed calls of this step so far
   */
  ask(orgId: string, task: AiTask, tries: number, signal: AbortSignal): Promise<ModelResult>;
  /** Closes the open providers. */
  close(): Promise<void>;
};

export const modelAsker = (
  {
    storage,
    tables,
    clock,
    keyring,
    log,
  }: Pick<Platform<AiTables>, 'storage' | 'tables' | 'clock' | 'keyring' | 'log'>,
  rules: AskingRules,
): ModelAsker => {
  const { usage, shared } = rules;
  const store = aiStore({ db: storage.db, tables });
  const closing = new Set<Promise<void>>();
  const sayFailed = boundedLog((fields) => log.warn(fields, 'a provider of models did not answer a step'), clock);
  const close = (provider: AiProvider): void => {
    const ended = provider.close().finally(() => closing.delete(ended));
    closing.add(ended);
  };
  const held = new LRUCache<string, AiProvider>({ max: MAX_PROVIDERS, dispose: close });
  const opened = (name: string, settings: AiSettings): AiProvider => {
    const provider = held.get(name) ?? rules.open(settings);
    held.set(name, provider, { noDisposeOnSet: true });
    return provider;
  };

  /** Throws UnreadableSecret. */
  const ownSource = async (row: AiSettingsRow): Promise<Source> => {
    const { orgId, version, wire, baseUrl, sealed, models, prices } = row;
    const name = `${orgId}/${version}`;
    const known = held.get(name);
    const key = known || sealed === null ? null : await keyring.openText(aiPlaceOf(orgId), sealed);
    return { provider: known ?? opened(name, { wire, baseUrl, key }), models, prices, own: row };
  };

  const sourceOf = async (orgId: string, task: AiTask): Promise<Source | Unavailable> => {
    const [row] = await store.settingsOf([orgId]);
    if (row) {
      // Rules may have become stricter since the URL was saved.
      const url = URL.parse(row.baseUrl);
      if (url === null || urlProblem(url, rules.urls) !== null) return unavailable('provider_failed', task);
      try {
        return await ownSource(row);
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        log.error({ orgId, error }, 'the key of a provider of models is unreadable');
        return unavailable('key_unreadable', task);
      }
    }
    if (shared === null || !(await rules.mayShare(orgId))) return unavailable('no_key', task);
    if (await usage.isOver(orgId)) return unavailable('over_quota', task);
    return { provider: opened('shared', shared), models: {}, prices: shared.prices, own: null };
  };

  const reportOutcome = async (orgId: string, { own }: Source, outcome: AiOutcome): Promise<void> => {
    if (outcome.result === 'answered' && own === null)
      await usage.count(orgId, outcome.usage.input + outcome.usage.output);
    if (outcome.result !== 'answered') sayFailed({ orgId, key: own ? 'own' : 'shared', code: outcome.code });
    if (own === null) return;
    if (outcome.result === 'credential') await store.setFaulty(orgId, own.version, clock.now(), outcome.code);
    else if (outcome.result === 'answered' && own.faultyAt !== null)
      await store.setFaulty(orgId, own.version, null, null);
  };

  /** Result of a call without an answer, which may be repeated without losing anything. */
  const withoutAnswer = (
    outcome: Exclude<AiOutcome, { result: 'answered' }>,
    task: AiTask,
    tries: number,
    spent: StepUsage | null,
  ): ModelResult => {
    if (outcome.result === 'credential') return unavailable('key_refused', task, spent);
    if (outcome.result === 'failed') return unavailable('provider_failed', task, spent);
    const wait = spent === null ? AGAIN_MS[tries] : undefined;
    if (wait === undefined) return unavailable('provider_unavailable', task, spent);
    const waitMs = Math.min(outcome.retryAfterMs ?? wait, MAX_AGAIN_MS);
    return { kind: 'later', at: new Date(clock.now().getTime() + waitMs) };
  };

  return {
    ask: async (orgId, task, tries, signal) => {
      const source = await sourceOf(orgId, task);
      if ('kind' in source) return source;
      const model = task.model ?? source.models[task.flavor] ?? rules.models[task.flavor];
      if (model === undefined) return unavailable('no_model', task);
      let spent: StepUsage | null = null;
      let rejected: Rejected | undefined;
      for (let call = 1; call <= 2; call += 1) {
        const outcome = await source.provider.complete(requestOf(task, model, rejected), signal);
        await reportOutcome(orgId, source, outcome);
        if (outcome.result !== 'answered') return withoutAnswer(outcome, task, tries, spent);
        const inputTokens: number = (spent?.inputTokens ?? 0) + outcome.usage.input;
        const outputTokens: number = (spent?.outputTokens ?? 0) + outcome.usage.output;
        const cost = costOf(source.prices, model, inputTokens, outputTokens);
        spent = {
          model,
          keySource: source.own ? 'organization' : 'shared',
          calls: call,
          inputTokens,
          outputTokens,
          cost,
        };
        const answer = answerOf(task, outcome.text);
        if (answer.ok) return { kind: 'answered', output: answer.output, usage: spent };
        rejected = { answer: outcome.text, problem: answer.problem };
      }
      return unavailable('invalid_answer', task, spent);
    },
    close: async () => {
      held.clear();
      await Promise.all(closing);
    },
  };
};
