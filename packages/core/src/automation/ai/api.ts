import type { z } from 'zod';
import type { AiWireName } from '../../delivery/transports/ai/port.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { AiSettings } from './answers.generated.ts';
import type { AiModels, AiPrices, aiSettingsBody } from './schema.ts';

/**
 * All of an org's settings. `baseUrl` of none is the provider's own; `key` null: it asks for none, as a server of one's own.
 * `models` are those of steps that name none.
 */
export interface AiSettingsInput extends Frozen<z.input<typeof aiSettingsBody>> {}

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
  get(orgId: string): Promise<AiSettings>;
  /** In place of what there was. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(orgId: string, body: AiSettingsInput): Promise<AiSettings>;
  /** Forgets it. Idempotent. Throws NOT_FOUND. */
  delete(orgId: string): Promise<AiSettings>;
};
