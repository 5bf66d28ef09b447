import { addressText } from '../../foundation/address-text.ts';
import { userIdOf } from '../../foundation/person.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';

export type Traits = Record<string, unknown>;

/** A profile as other engines see it. */
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
  /** As the newest event said. */
  readonly locale: string | null;
  readonly timezone: string | null;
  /** As the operator set them; see `localeOf` and `timezoneOf`. */
  readonly localeOverride?: string | null | undefined;
  readonly timezoneOverride?: string | null | undefined;
  /** As the newest device says; see `localeOf` and `timezoneOf`. */
  readonly tokenLocale?: string | null | undefined;
  readonly tokenTimezone?: string | null | undefined;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
};

/** One person of one scope. */
export type PersonKey = InScope & { readonly person: string };

/**
 * Profiles by `personKey`; whoever has none is missing. A constant number of statements, whatever theirs.
 *
 * @param needs `tags` false: nothing asks for what people's devices say, which then is not read
 */
export type LoadProfiles = (
  keys: readonly PersonKey[],
  needs?: { readonly tags: boolean },
) => Promise<ReadonlyMap<string, ProfileView>>;

/** One string per person, for maps. */
export const personKey = (key: PersonKey): string => `${scopeKey(key)}/${key.person}`;

/** Somebody of whom nothing is stored. Throws nothing. */
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

/** What devices say of people, by `personKey`; whoever has none is missing. */
export type LoadTokenTags = (
  keys: readonly PersonKey[],
) => Promise<ReadonlyMap<string, { readonly locale: string | null; readonly timezone: string | null }>>;

type LocaleSources = Pick<
  ProfileView,
  'locale' | 'timezone' | 'localeOverride' | 'timezoneOverride' | 'tokenLocale' | 'tokenTimezone'
>;

/**
 * The language of this person: what an operator set wins, then that of the newest device, then that of the newest event.
 * Source: contract, Ingest and profiles.
 */
export const localeOf = ({ localeOverride, tokenLocale, locale }: LocaleSources): string | null =>
  localeOverride ?? tokenLocale ?? locale;
/** The time zone of this person, in the same way. */
export const timezoneOf = ({ timezoneOverride, tokenTimezone, timezone }: LocaleSources): string | null =>
  timezoneOverride ?? tokenTimezone ?? timezone;

const textTrait = ({ traits }: ProfileView, name: string): string | null => {
  const trait = Object.hasOwn(traits, name) ? traits[name] : undefined;
  return typeof trait === 'string' && trait !== '' ? trait : null;
};

/** The email address that `user.email` stands for: the verified one of the account, else the one set on the profile. */
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
 * Where mail for this person goes, as it is stored: the account's verified address, else the one set on the profile, else
 * the string trait; null: nowhere.
 * Traits of earlier versions may have white space around them.
 */
export const emailOf = (profile: ProfileView): string | null => userEmailOf(profile) ?? textTrait(profile, 'email');

/** Where text messages for this person go, in the same order; null: nowhere. */
export const phoneOf = (profile: ProfileView): string | null => userPhoneOf(profile) ?? textTrait(profile, 'phone');

/** Every address and number that this profile holds, also those that nothing goes to, as they are stored and as read. */
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
          // Made where a template reads them, which few do.
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

/** What a message's texts may read: its own person, else whomever its send brought along, and the rest of the send's. */
export const messageScopes = (
  variables: Readonly<Record<string, unknown>>,
  profile: ProfileView | undefined,
): Readonly<Record<string, unknown>> => {
  if (!profile) return { ...templateScopes(undefined), ...variables };
  let user: Readonly<Record<string, unknown>> | undefined;
  return {
    ...variables,
    // Made where a text reads it, which few do.
    get user() {
      user ??= templateScopes(profile).user;
      return user;
    },
    trait: profile.traits,
  };
};
