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
   * A device is one row per org: registered again, it keeps `id` and `isActive`, and moves to this project and
   * environment. Fields that the body leaves out are kept; null unsets. Throws VALIDATION_ERROR.
   */
  register(scope: Scope, body: DeviceInput): Promise<{ readonly token: PushToken; readonly isNew: boolean }>;
  /** Makes the token inactive. Idempotent. Throws NOT_FOUND. */
  delete(scope: Scope, id: string): Promise<PushToken>;
  /** What a browser needs to subscribe; in `test` a key of the sandbox. Throws PROVIDER_NOT_CONFIGURED. */
  webConfig(scope: Scope): Promise<WebConfig>;
};

export type PushApi = {
  /** Promises and throws as `EmailApi.send`. */
  readonly send: SendCall<PushInput, Send, DryRun>;
  /** As `EmailApi.sendToAudience`. */
  readonly sendToAudience: SendCall<PushAudienceInput, Send, DryRun>;
  /** A device reports that its user opened or clicked a push. Throws VALIDATION_ERROR, NOT_FOUND. */
  trackOpen(scope: Scope, body: PushOpenInput): Promise<Reported>;
  /** A device reports that it showed a push. Throws as `trackOpen`. */
  trackDelivered(scope: Scope, body: PushDeliveredInput): Promise<Reported>;
};

/** Recipients of a push: exactly one of `tokens`, `userIds` and `audienceId`. */
export type PushRecipients =
  | { readonly tokens: readonly string[]; readonly userIds?: undefined; readonly audienceId?: undefined }
  | (UserRecipients & { readonly tokens?: undefined })
  | (AudienceRecipients & { readonly tokens?: undefined });

/**
 * A push: exactly one of `tokens`, `userIds` and `audienceId`; one of `title`, `body` and `data`, unless the template that
 * `templateId` names brings it. Texts are templates.
 */
export type PushInput = Omit<Frozen<z.input<typeof pushInput>>, 'tokens' | 'userIds' | 'audienceId'> & PushRecipients;

/** A push to whoever is a member of an audience. */
export interface PushAudienceInput extends Frozen<z.input<typeof pushAudienceInput>> {}

/** A device that asks to be reached. What is left out keeps its value, null unsets it. */
export interface DeviceInput extends Frozen<z.input<typeof registrationBody>> {}

/** A device reports that a push was opened; `clickAction` is the id of the button that was tapped. */
export interface PushOpenInput extends Frozen<z.input<typeof openBody>> {}

/** A device reports that it showed a push. */
export interface PushDeliveredInput extends Frozen<z.input<typeof deliveredBody>> {}
