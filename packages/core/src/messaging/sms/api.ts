import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { SmsDryRun, SmsSend } from '../sends/answers.generated.ts';
import type { AudienceRecipients, SendCall, UserRecipients } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { smsAudienceInput, smsInput } from './schema.ts';

/** Length of an SMS. */
export type SmsFacts = Pick<SmsSend, 'segments' | 'encoding'>;

export type SmsApi = {
  /** Throws as `email.send`. With `dryRun` the facts of a text with variables are those of its first message. */
  readonly send: SendCall<SmsInput, SmsSend, SmsDryRun>;
  /** As `EmailApi.sendToAudience`. */
  readonly sendToAudience: SendCall<SmsAudienceInput, SmsSend, SmsDryRun>;
};

/** Recipients of a text message: exactly one of `to` (E.164, at most 50 numbers), `userIds` and `audienceId`. */
export type SmsRecipients =
  | { readonly to: string | readonly string[]; readonly userIds?: undefined; readonly audienceId?: undefined }
  | (UserRecipients & { readonly to?: undefined })
  | (AudienceRecipients & { readonly to?: undefined });

/**
 * A text message: exactly one of `to` (E.164), `userIds` and `audienceId`; a `body`, unless the template that `templateId`
 * names brings one. The body is a template.
 */
export type SmsInput = OrTemplate<Omit<Frozen<z.input<typeof smsInput>>, 'to' | 'userIds' | 'audienceId'>, 'body'> &
  SmsRecipients;

/** A text message to whoever is a member of an audience. */
export type SmsAudienceInput = OrTemplate<Frozen<z.input<typeof smsAudienceInput>>, 'body'>;
