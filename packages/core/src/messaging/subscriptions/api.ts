import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { Subscriptions } from './answers.generated.ts';
import type { subscriptionsBody } from './schema.ts';

/** What a user chose of each channel: what is left out stays, null forgets a choice. */
export interface SubscriptionsInput extends Frozen<z.input<typeof subscriptionsBody>> {}

/** What the page behind a link to unsubscribe shows; of a link that is none of ours it shows the same without categories. */
export type UnsubscribePage = {
  /** BCP 47, of the recipient; null: not known. */
  readonly locale: string | null;
  /** What the link is about; null: all marketing mail. */
  readonly category: string | null;
  /** Whether they get what the link is about. */
  readonly isSubscribed: boolean;
  /** Whether they get marketing mail at all. */
  readonly isSubscribedToAny: boolean;
  /** What may be chosen one by one, by name. */
  readonly categories: readonly { readonly name: string; readonly isSubscribed: boolean }[];
};

/** What whoever follows the link wants: out, in again, or these categories of those that the page shows. */
export type UnsubscribeChange =
  | { readonly kind: 'unsubscribe' }
  | { readonly kind: 'resubscribe' }
  | { readonly kind: 'choose'; readonly any: boolean; readonly categories: readonly string[] };

/** What people chose to get. Transactional messages go out whatever it is. */
export type SubscriptionsApi = {
  /** Throws NOT_FOUND for a userId without profile. */
  get(scope: Scope, userId: string): Promise<Subscriptions>;
  /**
   * Changes what is named and leaves the rest; null forgets a choice. `email.subscribed: true` also takes the user's
   * addresses off the list where they unsubscribed. Throws VALIDATION_ERROR, NOT_FOUND.
   */
  update(scope: Scope, userId: string, body: SubscriptionsInput): Promise<Subscriptions>;
  /** What a link of a mail shows; nothing changes. Never throws NOT_FOUND: any text may come in. */
  ofLink(token: string): Promise<UnsubscribePage>;
  /** Does what whoever follows a link wants, and answers the page as it is then. A link that is none of ours changes nothing. */
  changeByLink(token: string, change: UnsubscribeChange): Promise<UnsubscribePage>;
};
