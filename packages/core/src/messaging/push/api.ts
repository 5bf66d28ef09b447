import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { PushToken } from '../../people/profiles/answers.generated.ts';
import type { DryRun, Reported, Send } from '../sends/answers.generated.ts';
import type { AudienceRecipients, SendCall, UserRecipients } from '../sends/api.ts';
import type { WebConfig } from './answers.generated.ts';
import type { pushAudienceInput, pushInput } from './body.ts';
import type { deliveredBody, openBody, registrationBody } from './schema.ts';

export type TokensApi = {
  /**
   * Registers a device. A device is one row per organization: a repeated registration keeps `id` and `isActive` and
   * moves the device to this project and environment. Omitted fields keep their values; null clears them. Throws
   * VALIDATION_ERROR.
   */
  register(scope: Scope, body: DeviceInput): Promise<{ readonly token: PushToken; readonly isNew: boolean }>;
  /** Makes the token inactive. Idempotent. Throws NOT_FOUND. */
  delete(scope: Scope, id: string): Promise<PushToken>;
  /** The configuration for a browser's subscription; in `test` a sandbox key. Throws PROVIDER_NOT_CONFIGURED. */
  webConfig(scope: Scope): Promise<WebConfig>;
};

export type PushApi = {
  /** Same contract as `EmailApi.send`. */
  readonly send: SendCall<PushInput, Send, DryRun>;
  /** Same contract as `EmailApi.sendToAudience`. */
  readonly sendToAudience: SendCall<PushAudienceInput, Send, DryRun>;
  /** Stores a device's report that its user opened or clicked a push. Throws VALIDATION_ERROR, NOT_FOUND. */
  trackOpen(scope: Scope, body: PushOpenInput): Promise<Reported>;
  /** Stores a device's report that it displayed a push. Throws as `trackOpen`. */
  trackDelivered(scope: Scope, body: PushDeliveredInput): Promise<Reported>;
};

/** Recipients of a push: exactly one of `tokens`, `userIds` and `audienceId`. */
export type PushRecipients =
  | { readonly tokens: readonly string[]; readonly userIds?: undefined; readonly audienceId?: undefined }
  | (UserRecipients & { readonly tokens?: undefined })
  | (AudienceRecipients & { readonly tokens?: undefined });

/**
 * A push: exactly one of `tokens`, `userIds` and `audienceId`; at least one of `title`, `body` and `data`, unless the
 * template of `templateId` has it. Texts are templates.
 */
export type PushInput = Omit<Frozen<z.input<typeof pushInput>>, 'tokens' | 'userIds' | 'audienceId'> & PushRecipients;

/** A push to the members of an audience. */
export interface PushAudienceInput extends Frozen<z.input<typeof pushAudienceInput>> {}

/** A device registration. Omitted fields keep their values; null clears them. */
export interface DeviceInput extends Frozen<z.input<typeof registrationBody>> {}

/** A device's report of an opened push; `clickAction` is the id of the tapped button. */
export interface PushOpenInput extends Frozen<z.input<typeof openBody>> {}

/** A device's report that it displayed a push. */
export interface PushDeliveredInput extends Frozen<z.input<typeof deliveredBody>> {}
