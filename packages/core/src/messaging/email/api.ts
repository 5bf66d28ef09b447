import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { SendOptions } from '../sends/api.ts';
import type { OrTemplate } from '../templates/api.ts';
import type { emailAudienceInput, emailInput } from './schema.ts';

/** The request for a link of a mail, as far as it tells programs from people. */
export type LinkRequest = { readonly method?: string | undefined; readonly userAgent?: string | undefined };

export type EmailApi = {
  /**
   * Accepts a mail: on disk when it resolves, with its messages where it has at most 100 recipients and is for now; the
   * worker makes those of others. With `dryRun` nothing is written. Throws VALIDATION_ERROR, PROVIDER_NOT_CONFIGURED
   * (nothing written), and what its options say.
   */
  send(scope: Scope, body: EmailInput, options?: SendOptions): Promise<Send | DryRun>;
  /**
   * The same to an audience alone. The worker makes the messages, for whoever is a member while it makes the part that they
   * stand in, by their ids: who joins behind that is not reached.
   */
  sendToAudience(scope: Scope, body: EmailAudienceInput, options?: SendOptions): Promise<Send | DryRun>;
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

/**
 * A mail: exactly one of `to`, `userIds` and `audienceId`; at least one of `text`, `html` and `bodyHtml`, unless the template that it names
 * brings one. Texts are templates.
 */
export type EmailInput = OrTemplate<Frozen<z.input<typeof emailInput>>, 'subject'>;

/** A mail to whoever is a member of an audience. */
export type EmailAudienceInput = OrTemplate<Frozen<z.input<typeof emailAudienceInput>>, 'subject'>;
