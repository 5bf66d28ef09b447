import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Subscriptions } from './answers.generated.ts';
import type { subscriptionsBody } from './schema.ts';

/** Choices of a user per channel: omitted ones stay, null removes a choice. */
export interface SubscriptionsInput extends Frozen<z.input<typeof subscriptionsBody>> {}

/** Content of the unsubscribe page; for an invalid link the same page without categories. */
export type UnsubscribePage = {
  /** BCP 47 locale of the recipient; null: unknown. */
  readonly locale: string | null;
  /** Category of the link; null: all marketing email. */
  readonly category: string | null;
  /** True if they receive what the link is about. */
  readonly isSubscribed: boolean;
  /** True if they receive any marketing email. */
  readonly isSubscribedToAny: boolean;
  /** Categories that can be chosen one by one, by name. */
  readonly categories: readonly { readonly name: string; readonly isSubscribed: boolean }[];
};

/** The change that a link's visitor requests: opt out, opt in again, or exactly these categories of the page. */
export type UnsubscribeChange =
  | { readonly kind: 'unsubscribe' }
  | { readonly kind: 'resubscribe' }
  | { readonly kind: 'choose'; readonly any: boolean; readonly categories: readonly string[] };

/** Subscription choices of users. Transactional messages are sent in any case. */
export type SubscriptionsApi = {
  /** Throws NOT_FOUND for a userId without a profile. */
  get(scope: Scope, userId: string): Promise<Subscriptions>;
  /**
   * Changes the named choices; null removes a choice. `email.subscribed: true` also removes `unsubscribed` entries of
   * the user's addresses from the suppression list. Throws VALIDATION_ERROR, NOT_FOUND.
   */
  update(scope: Scope, userId: string, body: SubscriptionsInput): Promise<Subscriptions>;
  /** The page of an email's link; changes nothing. Never throws NOT_FOUND, whatever the token. */
  ofLink(token: string): Promise<UnsubscribePage>;
  /** Applies the change of a link's visitor and returns the page afterwards. An invalid link changes nothing. */
  changeByLink(token: string, change: UnsubscribeChange): Promise<UnsubscribePage>;
};
