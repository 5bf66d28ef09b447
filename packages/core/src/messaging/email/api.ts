import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { AudienceRecipients, SendCall, UserRecipients } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { emailAudienceInput, emailInput } from './schema.ts';

/** The request for a link of a mail, as far as it tells programs from people. */
export type LinkRequest = { readonly method?: string | undefined; readonly userAgent?: string | undefined };

export type EmailApi = {
  /**
   * Accepts an email: on disk when it resolves, with its messages where it has at most 100 recipients and is for now; the
   * worker makes those of others. With `dryRun: true` nothing is written, and the answer is a `DryRun`. Throws
   * VALIDATION_ERROR, PROVIDER_NOT_CONFIGURED (nothing written), and what its options say.
   */
  readonly send: SendCall<EmailInput, Send, DryRun>;
  /**
   * The same to an audience alone. The worker makes the messages, for whoever is a member while it makes the part that they
   * stand in, by their ids: who joins behind that is not reached.
   */
  readonly sendToAudience: SendCall<EmailAudienceInput, Send, DryRun>;
  /**
   * Somebody opened a mail: `token` is of the address of its pixel. Resolves for whatever it is given, and for a
   * database that is away, within 2 s.
   */
  trackOpen(token: string, by?: LinkRequest): Promise<void>;
  /**
   * Somebody follows a link of a mail: where it leads, an http or https URL of ASCII characters. The click is recorded
   * before that, unless `isRecorded` is false or the database is away for 2 s. Throws NOT_FOUND for a token that is not
   * of such a link.
   */
  trackClick(
    token: string,
    options?: LinkRequest & { readonly isRecorded?: boolean | undefined },
  ): Promise<{ readonly url: string }>;
};

/** A bare address, or an address with the name that is shown beside it. */
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
 * An email: exactly one of `to`, `userIds` and `audienceId`; a `subject` and at least one of `text`, `html` and `bodyHtml`,
 * unless the template that `templateId` names brings them. Texts are templates.
 */
export type EmailInput = OrTemplate<EmailFields, 'subject'> & EmailRecipients;

/** A mail to whoever is a member of an audience. */
export type EmailAudienceInput = OrTemplate<Frozen<z.input<typeof emailAudienceInput>>, 'subject'>;
