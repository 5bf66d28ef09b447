import type { z } from 'zod';
import type { AiWireName } from '../../delivery/transports/ai/port.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { AiModels, AiPrices, aiSettingsBody } from './schema.ts';

/** The provider of models that an org brings, as it is shown: the key is never read back. */
export type AiState = {
  readonly configured: boolean;
  readonly wire: AiWireName | null;
  readonly baseUrl: string | null;
  readonly lastFour: string | null;
  readonly models: AiModels;
  /** What a million tokens of a model cost. */
  readonly prices: AiPrices;
  /** Since when the provider refuses the key; null: it does not. */
  readonly faultyAt: Date | null;
  readonly faultyCode: string | null;
  readonly updatedAt: Date | null;
  /** Of the deployment's provider, which orgs without one of their own use: by the day in UTC. */
  readonly sharedTokens: { readonly today: number; readonly perDay: number };
};

/**
 * All of an org's settings. `baseUrl` of none is the provider's own; `key` null: it asks for none, as a server of one's own.
 * `models` are those of steps that name none.
 */
export interface AiSettingsInput extends Frozen<z.input<typeof aiSettingsBody>> {}

/** What a step that asked a model took. */
export type StepUsage = {
  readonly model: string;
  /** Whose: of the org, or of the deployment. */
  readonly key: 'own' | 'shared';
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the prices that were set for the model; null: there are none. */
  readonly cost: number | null;
};

/** The operator's word on models. */
export type AiOptions = {
  readonly models?: AiModels | undefined;
  readonly shared?:
    | {
        readonly wire?: AiWireName | undefined;
        readonly baseUrl?: string | undefined;
        /** Absent: it asks for none. */
        readonly key?: string | undefined;
        readonly prices?: AiPrices | undefined;
      }
    | undefined;
};

/** Providers of models of orgs, for the operator: one serves all projects of its org. */
export type AiApi = {
  /** Throws NOT_FOUND. */
  get(orgId: string): Promise<AiState>;
  /** In place of what there was. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(orgId: string, body: AiSettingsInput): Promise<AiState>;
  /** Forgets it. Idempotent. Throws NOT_FOUND. */
  delete(orgId: string): Promise<AiState>;
};
