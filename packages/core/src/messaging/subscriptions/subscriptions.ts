// Subscription choices of users per channel and category. A batch of messages reads its choices with one statement.
// Operators change them by user; recipients change them through the signed link in an email, which names the message.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { mailAddress } from '../../foundation/email-address.ts';
import { fieldErrorsOf, notFound, validationError } from '../../foundation/errors.ts';
import { userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { addressesOf, type LoadProfiles, localeOf, personKey } from '../../people/profiles/view.ts';
import { sliced } from '../../platform/erasure/eraser.ts';
import type { TrackingTokens } from '../email/tracking-tokens.ts';
import { type Choices, type Chooser, EVERY_CATEGORY, hasUnsubscribed, type LoadChoices } from '../sends/choices.ts';
import type { Recipient, Unsubscribing } from '../sends/track/unsubscribing.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import type { Subscriptions } from './answers.generated.ts';
import type { SubscriptionsApi, UnsubscribeChange, UnsubscribePage } from './api.ts';
import { type Choice, choicesIn, subscriptionsBody } from './schema.ts';
import { subscriptionStatements } from './statements.ts';
import { subscriptionStore } from './store.ts';
import type { ChoiceSource, SubscriptionTables } from './tables.ts';

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type SubscriptionContext = {
  readonly storage: Storage;
  readonly tables: SubscriptionTables;
  readonly clock: Clock;
  readonly links: Pick<TrackingTokens, 'read'>;
  readonly loadProfiles: LoadProfiles;
  readonly unsubscribing: Unsubscribing;
  readonly suppressions: Pick<Suppressions, 'writes' | 'restoring' | 'states'>;
};

const INVALID_LINK_PAGE: UnsubscribePage = {
  locale: null,
  category: null,
  isSubscribed: true,
  isSubscribedToAny: true,
  categories: [],
};

const chooserKey = (chooser: Chooser): string => `${scopeKey(chooser)}/${chooser.channel}/${chooser.person}`;

export const choicesOf = ({ storage, tables }: Pick<SubscriptionContext, 'storage' | 'tables'>): LoadChoices => {
  const hot = subscriptionStatements(tables);
  return async (choosers) => {
    // Duplicates are looked up twice, which costs less than building a text key for each chooser.
    const keys = choosers.map((one) => [scopeKey(one), one.person, one.channel] as const);
    const found = new Map<string, Map<string, boolean>>();
    for (const row of await storage.select(hot.ofPerson, keys)) {
      const choices = found.get(chooserKey(row)) ?? new Map<string, boolean>();
      found.set(chooserKey(row), choices.set(row.category, row.isSubscribed));
    }
    // Most users made no choice.
    return found.size === 0 ? () => null : (chooser) => found.get(chooserKey(chooser)) ?? null;
  };
};

/** Guard of a handover: users made no further opt-out since their choices were read. Pure. */
export const assertChoicesUnchanged = ({ tables }: Pick<SubscriptionContext, 'tables'>) => {
  const hot = subscriptionStatements(tables);
  return (chooser: Chooser, choices: Choices | null): Write => {
    const { person, channel } = chooser;
    const count = choices === null ? 0 : [...choices.values()].filter((isSubscribed) => !isSubscribed).length;
    return write(hot.precondition, { ...scopeOf(chooser), person, channel, count });
  };
};

export const subscriptionsEngine = (context: SubscriptionContext) => {
  const { storage, tables, clock, links, loadProfiles, unsubscribing, suppressions } = context;
  const hot = subscriptionStatements(tables);
  const store = subscriptionStore({ db: storage.db, tables });
  const loadChoices = choicesOf(context);

  const profileOf = async (scope: InScope, person: string) =>
    (await loadProfiles([{ ...scopeOf(scope), person }])).get(personKey({ ...scopeOf(scope), person })) ?? null;

  const choiceWrites = (
    scope: InScope,
    person: string,
    choices: readonly Choice[],
    { source, messageId, at }: { source: ChoiceSource; messageId: string | null; at: Date },
  ): Write[] =>
    choices.map(({ channel, category, isSubscribed }) => {
      const key = { ...scopeOf(scope), person, channel, category };
      return isSubscribed === null
        ? write(hot.forget, key)
        : write(hot.put, { ...key, isSubscribed, source, messageId, updatedAt: at });
    });

  const shown = async (scope: Scope, userId: string): Promise<Subscriptions> => {
    const choosers = CHANNELS.map((channel) => ({ ...scopeOf(scope), person: userPerson(userId), channel }));
    const load = await loadChoices(choosers);
    const [push, email, sms] = choosers.map((chooser) => {
      const choices = load(chooser) ?? new Map<string, boolean>();
      const named = [...choices]
        .filter(([category]) => category !== EVERY_CATEGORY)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      return { subscribed: choices.get(EVERY_CATEGORY) !== false, categories: Object.fromEntries(named) };
    });
    const none = { subscribed: true, categories: {} };
    return { userId, push: push ?? none, email: email ?? none, sms: sms ?? none };
  };

  /** Choices of a recipient, and whether the address is listed. */
  const stateOf = async (recipient: Recipient): Promise<{ choices: Choices | null; isListed: boolean }> => {
    const { person, address, messageId: id } = recipient;
    const chooser = person === null ? null : { ...scopeOf(recipient), person, channel: 'email' as const };
    const [choices, states] = await Promise.all([
      chooser ? loadChoices([chooser]).then((load) => load(chooser)) : null,
      address === null
        ? undefined
        : suppressions.states('email')([{ ...scopeOf(recipient), id, person, address, facts: {} }]),
    ]);
    return { choices, isListed: states?.get(id)?.listed?.some(({ reason }) => reason === 'unsubscribed') ?? false };
  };

  const pageOf = async (recipient: Recipient): Promise<UnsubscribePage> => {
    const { person, category } = recipient;
    const [{ choices, isListed }, profile] = await Promise.all([
      stateOf(recipient),
      person === null ? null : profileOf(recipient, person),
    ]);
    const isSubscribedToAny = !isListed && choices?.get(EVERY_CATEGORY) !== false;
    // Without a user only the address can be opted out, from everything.
    const about = person === null ? null : category;
    const names =
      person === null ? [] : [...new Set([...(choices?.keys() ?? []), ...(category === null ? [] : [category])])];
    return {
      locale: profile && localeOf(profile),
      category: about,
      isSubscribed: isSubscribedToAny && !hasUnsubscribed(choices, { class: 'marketing', category: about }),
      isSubscribedToAny,
      categories: names
        .filter((name) => name !== EVERY_CATEGORY)
        .sort()
        .map((name) => ({ name, isSubscribed: choices?.get(name) !== false })),
    };
  };

  const recipientOf = async (token: string): Promise<Recipient | null> => {
    const claims = links.read(token);
    const found = claims && (await unsubscribing.recipientOf(claims, claims.messageId));
    return found?.channel === 'email' ? found : null;
  };

  /** The requested choices, and whether the address should get marketing at all; null: unchanged. */
  const requestedChange = (
    page: UnsubscribePage,
    change: UnsubscribeChange,
  ): { choices: Map<string, boolean>; any: boolean | null } => {
    if (change.kind === 'choose') {
      const chosen = new Set(change.categories);
      return { choices: new Map(page.categories.map(({ name }) => [name, chosen.has(name)])), any: change.any };
    }
    const isSubscribed = change.kind === 'resubscribe';
    return page.category === null
      ? { choices: new Map(), any: isSubscribed }
      : // After an opt-out of everything, opting in to the category alone would have no effect.
        {
          choices: new Map([[page.category, isSubscribed]]),
          any: isSubscribed && !page.isSubscribedToAny ? true : null,
        };
  };

  const apply = async (recipient: Recipient, change: UnsubscribeChange): Promise<void> => {
    const { person, address, messageId } = recipient;
    const at = clock.now();
    const { choices, any } = requestedChange(await pageOf(recipient), change);
    const all = [...choices, ...(any === null ? [] : [[EVERY_CATEGORY, any] as const])];
    const made = all.map(([category, isSubscribed]) => ({ channel: 'email', category, isSubscribed }) as const);
    const entry = { ...scopeOf(recipient), channel: 'email', address: address ?? '', reason: 'unsubscribed' } as const;
    const listed =
      address === null || any === null
        ? []
        : any
          ? suppressions.restoring([entry])
          : suppressions.writes([{ ...entry, source: 'person', messageId, at }]);
    const isUnsubscribing = all.some(([, isSubscribed]) => !isSubscribed);
    await storage.commit({
      writes: [
        ...(isUnsubscribing ? [unsubscribing.mark(recipient, at)] : []),
        ...(person === null ? [] : choiceWrites(recipient, person, made, { source: 'person', messageId, at })),
        ...listed,
      ],
    });
  };

  const byUser: Pick<SubscriptionsApi, 'get' | 'update'> = {
    get: async (scope, userId) => {
      if (!(await profileOf(scope, userPerson(userId)))) throw notFound('profile of this userId', scope);
      return shown(scope, userId);
    },
    update: async (scope, userId, body) => {
      const parsed = subscriptionsBody.safeParse(body);
      if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
      const person = userPerson(userId);
      const profile = await profileOf(scope, person);
      if (!profile) throw notFound('profile of this userId', scope);
      const entry = { ...scopeOf(scope), channel: 'email', reason: 'unsubscribed' } as const;
      const addresses = parsed.data.email?.subscribed === true ? addressesOf(profile) : [];
      await storage.commit({
        writes: [
          ...choiceWrites(scope, person, choicesIn(parsed.data, EVERY_CATEGORY), {
            source: 'api',
            messageId: null,
            at: clock.now(),
          }),
          // In the list's form: a trait may spell an internationalised domain in Unicode.
          ...suppressions.restoring(
            addresses.map((address) => ({ ...entry, address: mailAddress(address) ?? address })),
          ),
        ],
      });
      return shown(scope, userId);
    },
  };
  const byLink: Pick<SubscriptionsApi, 'ofLink' | 'changeByLink'> = {
    ofLink: async (token) => {
      const recipient = await recipientOf(token);
      return recipient ? pageOf(recipient) : INVALID_LINK_PAGE;
    },
    changeByLink: async (token, change) => {
      const recipient = await recipientOf(token);
      if (recipient) {
        await apply(recipient, change);
        return pageOf(recipient);
      }
      // The same answer as for a valid link, so that it reveals nothing about tokens.
      const { any } = requestedChange(INVALID_LINK_PAGE, change);
      return { ...INVALID_LINK_PAGE, isSubscribed: any === true, isSubscribedToAny: any === true };
    },
  };

  return {
    byUser,
    byLink,
    eraser: sliced('subscriptions', ({ scope, people }) => store.erase(scope, people)),
  };
};
