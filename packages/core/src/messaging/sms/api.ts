import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { SmsDryRun, SmsSend } from '../sends/answers.generated.ts';
import type { AudienceRecipients, SendCall, UserRecipients } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { smsAudienceInput, smsInput } from './schema.ts';

/** Length of a text message. */
export type SmsFacts = Pick<SmsSend, 'segments' | 'encoding'>;

export type SmsApi = {
  /** Same contract as `email.send`. With `dryRun`, the length of a text with variables is that of the first message. */
  readonly send: SendCall<SmsInput, SmsSend, SmsDryRun>;
  /** Same contract as `EmailApi.sendToAudience`. */
  readonly sendToAudience: SendCall<SmsAudienceInput, SmsSend, SmsDryRun>;
};

/** Recipients of a text message: exactly one of `to` (E.164, at most 50 numbers), `userIds` and `audienceId`. */
export type SmsRecipients =
  | { readonly to: string | readonly string[]; readonly userIds?: undefined; readonly audienceId?: undefined }
  | (UserRecipients & { readonly to?: undefined })
  | (AudienceRecipients & { readonly to?: undefined });

/**
 * A text message: exactly one of `to` (E.164), `userIds` and `audienceId`; a `body`, unless the template of
 * `templateId` has one. The body is a template.
 */
export type SmsInput = OrTemplate<Omit<Frozen<z.input<typeof smsInput>>, 'to' | 'userIds' | 'audienceId'>, 'body'> &
  SmsRecipients;

/** A text message to the members of an audience. */
export type SmsAudienceInput = OrTemplate<Frozen<z.input<typeof smsAudienceInput>>, 'body'>;
