import { addressText } from '../../foundation/address-text.ts';
import { userIdOf } from '../../foundation/person.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';

export type Traits = Record<string, unknown>;

/** A profile as other modules read it. */
export type ProfileView = InScope & {
  readonly person: string;
  readonly traits: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly isTruncated: boolean;
  readonly email: string | null;
  readonly phone: string | null;
  /** Verified address and number of the user's account; absent or null: none. */
  readonly accountEmail?: string | null | undefined;
  readonly accountPhone?: string | null | undefined;
  /** From the newest event. */
  readonly locale: string | null;
  readonly timezone: string | null;
  /** Set by the operator; see `localeOf` and `timezoneOf`. */
  readonly localeOverride?: string | null | undefined;
  readonly timezoneOverride?: string | null | undefined;
  /** From the newest device; see `localeOf` and `timezoneOf`. */
  readonly tokenLocale?: string | null | undefined;
  readonly tokenTimezone?: string | null | undefined;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
};

/** Key of one profile of one scope. */
export type PersonKey = InScope & { readonly person: string };

/**
 * Loads profiles by `personKey`; missing ones are omitted. Uses a constant number of statements.
 *
 * @param needs `tags` false: locales and time zones of devices are not needed and not read
 */
export type LoadProfiles = (
  keys: readonly PersonKey[],
  needs?: { readonly tags: boolean },
) => Promise<ReadonlyMap<string, ProfileView>>;

/** Key for maps. */
export const personKey = (key: PersonKey): string => `${scopeKey(key)}/${key.person}`;

/** A profile without any stored values. Throws nothing. */
export const blankProfile = (key: PersonKey, now: Date): ProfileView => ({
  ...key,
  traits: {},
  version: 0,
  isTruncated: false,
  email: null,
  phone: null,
  locale: null,
  timezone: null,
  createdAt: now,
  lastSeenAt: now,
});

/** Loads locales and time zones of devices, by `personKey`; users without devices are omitted. */
export type LoadTokenTags = (
  keys: readonly PersonKey[],
) => Promise<ReadonlyMap<string, { readonly locale: string | null; readonly timezone: string | null }>>;

type LocaleSources = Pick<
  ProfileView,
  'locale' | 'timezone' | 'localeOverride' | 'timezoneOverride' | 'tokenLocale' | 'tokenTimezone'
>;

/**
 * Locale of a user: the operator's value, else the newest device's, else the newest event's. Source: contract, Ingest
 * and profiles.
 */
export const localeOf = ({ localeOverride, tokenLocale, locale }: LocaleSources): string | null =>
  localeOverride ?? tokenLocale ?? locale;
/** Time zone of a user, in the same order of precedence. */
export const timezoneOf = ({ timezoneOverride, tokenTimezone, timezone }: LocaleSources): string | null =>
  timezoneOverride ?? tokenTimezone ?? timezone;

const textTrait = ({ traits }: ProfileView, name: string): string | null => {
  const trait = Object.hasOwn(traits, name) ? traits[name] : undefined;
  return typeof trait === 'string' && trait !== '' ? trait : null;
};

/** Value of `user.email`: the verified address of the account, else the address set on the profile. */
export const userEmailOf = ({
  accountEmail,
  email,
}: Pick<ProfileView, 'accountEmail'> & { readonly email?: string | null | undefined }): string | null =>
  accountEmail ?? email ?? null;

/** The same for `user.phone`. */
export const userPhoneOf = ({
  accountPhone,
  phone,
}: Pick<ProfileView, 'accountPhone'> & { readonly phone?: string | null | undefined }): string | null =>
  accountPhone ?? phone ?? null;

/**
 * Email address for delivery: the account's verified address, else the profile's, else the trait; null if there is none.
 * Traits stored by earlier versions may have surrounding white space.
 */
export const emailOf = (profile: ProfileView): string | null => userEmailOf(profile) ?? textTrait(profile, 'email');

/** Phone number for SMS, in the same order; null if there is none. */
export const phoneOf = (profile: ProfileView): string | null => userPhoneOf(profile) ?? textTrait(profile, 'phone');

/** All addresses and numbers of a profile, including unused ones, both as stored and normalized. */
export const addressesOf = (profile: ProfileView): string[] => {
  const { email, phone, accountEmail = null, accountPhone = null } = profile;
  const traits = [textTrait(profile, 'email'), textTrait(profile, 'phone')];
  const stored = [email, phone, accountEmail, accountPhone, ...traits].filter((address) => address !== null);
  return [...new Set([...stored, ...stored.map(addressText)])].filter((address) => address !== '');
};

/** The scopes `user.*` and `trait.*` of templates. Source: interface, Template variables. */
export const templateScopes = (
  profile: ProfileView | undefined,
): { user: Record<string, unknown>; trait: Readonly<Record<string, unknown>> } =>
  profile
    ? {
        user: {
          userId: userIdOf(profile.person),
          email: userEmailOf(profile),
          // Getters, because few templates read these.
          get createdAt() {
            return profile.createdAt.toISOString();
          },
          get lastSeenAt() {
            return profile.lastSeenAt.toISOString();
          },
          get locale() {
            return localeOf(profile);
          },
          get timezone() {
            return timezoneOf(profile);
          },
        },
        trait: profile.traits,
      }
    : { user: {}, trait: {} };

/**
 * Variables of a message's texts: the recipient's profile, or without one the profile variables of the send, plus the
 * send's other variables.
 */
export const messageScopes = (
  variables: Readonly<Record<string, unknown>>,
  profile: ProfileView | undefined,
): Readonly<Record<string, unknown>> => {
  if (!profile) return { ...templateScopes(undefined), ...variables };
  let user: Readonly<Record<string, unknown>> | undefined;
  return {
    ...variables,
    // A getter, because few texts read it.
    get user() {
      user ??= templateScopes(profile).user;
      return user;
    },
    trait: profile.traits,
  };
};
