import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { AudienceRecipients, SendCall, UserRecipients } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { emailAudienceInput, emailInput } from './schema.ts';

/** The HTTP request for a link of an email, as far as it distinguishes programs from people. */
export type LinkRequest = { readonly method?: string | undefined; readonly userAgent?: string | undefined };

export type EmailApi = {
  /**
   * Accepts an email. The send is stored when the promise resolves; so are its messages if it has at most 100
   * recipients and starts now. The worker makes the messages of other sends. With `dryRun: true` nothing is written and
   * the result is a `DryRun`. Throws VALIDATION_ERROR, PROVIDER_NOT_CONFIGURED (nothing written), and what the options
   * list.
   */
  readonly send: SendCall<EmailInput, Send, DryRun>;
  /**
   * Sends an email to an audience. The worker makes the messages part by part, in the order of user ids; it reads the
   * members when it makes their part, so a user who joins at a place already passed is not reached.
   */
  readonly sendToAudience: SendCall<EmailAudienceInput, Send, DryRun>;
  /**
   * Records an open; `token` comes from the URL of the tracking pixel. Resolves within 2 s for any token, even if the
   * database is unavailable.
   */
  trackOpen(token: string, by?: LinkRequest): Promise<void>;
  /**
   * Records a click and returns the target of the link: an http or https URL of ASCII characters. The click is stored
   * first, unless `isRecorded` is false or the database does not respond within 2 s. Throws NOT_FOUND for a token that
   * belongs to no such link.
   */
  trackClick(
    token: string,
    options?: LinkRequest & { readonly isRecorded?: boolean | undefined },
  ): Promise<{ readonly url: string }>;
};

/** An address, optionally with a display name. */
export type EmailAddressInput = string | { readonly email: string; readonly name?: string | null | undefined };
/** One address, or at most 50. */
export type EmailAddressesInput = EmailAddressInput | readonly EmailAddressInput[];

/** Recipients of an email: exactly one of `to`, `userIds` and `audienceId`. Copies need exactly one `to`. */
export type EmailRecipients =
  | {
      readonly to: EmailAddressesInput;
      readonly cc?: EmailAddressesInput | undefined;
      readonly bcc?: EmailAddressesInput | undefined;
      readonly userIds?: undefined;
      readonly audienceId?: undefined;
    }
  | (UserRecipients & NoAddress)
  | (AudienceRecipients & NoAddress);
type NoAddress = { readonly to?: undefined; readonly cc?: undefined; readonly bcc?: undefined };

type EmailFields = Omit<Frozen<z.input<typeof emailInput>>, 'to' | 'cc' | 'bcc' | 'userIds' | 'audienceId'>;

/**
 * An email: exactly one of `to`, `userIds` and `audienceId`; a `subject` and at least one of `text`, `html` and
 * `bodyHtml`, unless the template of `templateId` has them. Texts are templates.
 */
export type EmailInput = OrTemplate<EmailFields, 'subject'> & EmailRecipients;

/** An email to the members of an audience. */
export type EmailAudienceInput = OrTemplate<Frozen<z.input<typeof emailAudienceInput>>, 'subject'>;
