import { scopeOf } from '../../foundation/scope.ts';
import type { LoadProfiles } from '../../people/profiles/view.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TrackingTokens } from '../email/tracking-tokens.ts';
import type { LoadChoices } from '../sends/choices.ts';
import type { Precondition } from '../sends/deliver/message.ts';
import type { Unsubscribing } from '../sends/track/unsubscribing.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import { assertChoicesUnchanged, choicesOf, subscriptionsEngine } from './subscriptions.ts';
import type { SubscriptionTables } from './tables.ts';

export type SubscriptionsPlatform = Platform<SubscriptionTables>;

/** Subscription choices for sending. Built before sending, from the platform alone. */
export const subscriptionContributions = ({ storage, tables }: SubscriptionsPlatform) => {
  const loadChoices: LoadChoices = choicesOf({ storage, tables });
  const assertUnchanged = assertChoicesUnchanged({ tables });
  const precondition: Precondition = ({ row, send, choices }) => {
    const { person, channel } = row;
    if (person === null || send?.class !== 'marketing') return [];
    return [assertUnchanged({ ...scopeOf(row), person, channel }, choices)];
  };
  return { name: 'choices of subscriptions', preconditions: [precondition], internal: { loadChoices } };
};

type Needs = {
  /** Reads unsubscribe tokens. */
  readonly links: Pick<TrackingTokens, 'read'>;
  readonly loadProfiles: LoadProfiles;
  readonly unsubscribing: Unsubscribing;
  readonly suppressions: Pick<Suppressions, 'writes' | 'restoring' | 'states'>;
};

/** The API of operators and of unsubscribe links. Built after sending, which provides `unsubscribing`. */
export const subscriptionsModule = ({ storage, tables, clock }: SubscriptionsPlatform, needs: Needs) => {
  const { byUser, byLink, eraser } = subscriptionsEngine({ storage, tables, clock, ...needs });
  return { name: 'subscriptions', api: byUser, openApi: byLink, erasers: [eraser] };
};
