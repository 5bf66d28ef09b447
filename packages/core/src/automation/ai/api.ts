import type { z } from 'zod';
import type { AiWireName } from '../../delivery/transports/ai/port.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { AiSettings } from './answers.generated.ts';
import type { AiModels, AiPrices, aiSettingsBody } from './schema.ts';

/**
 * All settings of an org. `baseUrl` defaults to the provider's own; `key` null: the provider needs none, like a
 * self-hosted server. `models` apply to steps that name no model.
 */
export interface AiSettingsInput extends Frozen<z.input<typeof aiSettingsBody>> {}

/** The operator's settings of models. */
export type AiOptions = {
  readonly models?: AiModels | undefined;
  readonly shared?:
    | {
        readonly wire?: AiWireName | undefined;
        readonly baseUrl?: string | undefined;
        /** Absent: the provider needs no key. */
        readonly key?: string | undefined;
        readonly prices?: AiPrices | undefined;
      }
    | undefined;
};

/** Model providers of orgs, for the operator. One provider serves all projects of its org. */
export type AiApi = {
  /** Gets the settings of an org. Throws NOT_FOUND. */
  get(orgId: string): Promise<AiSettings>;
  /** Replaces the settings. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(orgId: string, body: AiSettingsInput): Promise<AiSettings>;
  /** Deletes the settings. Idempotent. Throws NOT_FOUND. */
  delete(orgId: string): Promise<AiSettings>;
};
