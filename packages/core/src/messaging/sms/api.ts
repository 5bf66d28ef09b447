import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { DryRun, Send, SmsSend } from '../sends/answers.generated.ts';
import type { SendOptions } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { smsAudienceInput, smsInput } from './schema.ts';

/** Length of an SMS. */
export type SmsFacts = Pick<SmsSend, 'segments' | 'encoding'>;

export type SmsApi = {
  /** Throws as `email.send`. With `dryRun` the facts of a text with variables are those of its first message. */
  send(scope: Scope, body: SmsInput, options?: SendOptions): Promise<(Send | DryRun) & SmsFacts>;
  /** As `EmailApi.sendToAudience`. */
  sendToAudience(scope: Scope, body: SmsAudienceInput, options?: SendOptions): Promise<(Send | DryRun) & SmsFacts>;
};

/** A text message: exactly one of `to` (E.164), `userIds` and `audienceId`. The body is a template. */
export type SmsInput = OrTemplate<Frozen<z.input<typeof smsInput>>, 'body'>;

/** A text message to whoever is a member of an audience. */
export type SmsAudienceInput = OrTemplate<Frozen<z.input<typeof smsAudienceInput>>, 'body'>;
