import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { ProfileTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const PERSON = [...SCOPE, 'person'] as const;

/** Profile statements of ingest and workflow steps. */
export const profileStatements = ({ profiles, aliases }: ProfileTables) => ({
  insertAlias: bulkInsert(
    'profiles.insert_alias',
    aliases,
    [...SCOPE, 'anonymousId', 'userId', 'createdAt', 'moveDueAt'],
    { conflict: { target: [...SCOPE, 'anonymousId'] }, isGuarded: true },
  ),
  insert: bulkInsert(
    'profiles.insert',
    profiles,
    [...PERSON, 'traits', 'version', 'isTruncated', 'locale', 'timezone', 'createdAt', 'lastSeenAt'],
    { conflict: { target: PERSON }, isGuarded: true },
  ),
  change: bulkUpdate('profiles.change', profiles, {
    where: [...PERSON, 'version'],
    set: {
      traits: 'value',
      isTruncated: 'value',
      locale: 'value',
      timezone: 'value',
      lastSeenAt: 'greatest',
      version: 'increment',
    },
    isGuarded: true,
  }),
  /** Values that an operator sets. */
  patch: bulkUpdate('profiles.patch', profiles, {
    where: [...PERSON, 'version'],
    set: {
      traits: 'value',
      isTruncated: 'value',
      email: 'value',
      phone: 'value',
      localeOverride: 'value',
      timezoneOverride: 'value',
      version: 'increment',
    },
    isGuarded: true,
  }),
  /** A user who signs up and has no profile yet. */
  insertOfAccount: bulkInsert(
    'profiles.insert_of_account',
    profiles,
    [
      ...PERSON,
      ...['traits', 'version', 'isTruncated', 'locale', 'timezone', 'createdAt', 'lastSeenAt'],
      ...['accountEmail', 'accountPhone'],
    ] as const,
    { conflict: { target: PERSON }, isGuarded: true },
  ),
  /** The verified address and number of an account. */
  setAccount: bulkUpdate('profiles.set_account', profiles, {
    where: [...PERSON, 'version'],
    set: { accountEmail: 'value', accountPhone: 'value', traits: 'value', version: 'increment' },
    isGuarded: true,
  }),
  /**
   * Increments the version only: a concurrent change of data derived from this profile, such as memberships, then
   * conflicts.
   */
  bumpVersion: bulkUpdate('profiles.hold', profiles, {
    where: [...PERSON, 'version'],
    set: { version: 'increment' },
    isGuarded: true,
  }),
  see: bulkUpdate('profiles.see', profiles, {
    where: PERSON,
    set: { lastSeenAt: 'greatest', locale: 'value', timezone: 'value' },
  }),
  /** An anonymous profile that was merged into a user. */
  deleteMerged: bulkDelete('profiles.absorb', profiles, { where: [...PERSON, 'version'], isGuarded: true }),
  seen: bulkSelect('profiles.seen', profiles, PERSON, [...PERSON, 'version', 'lastSeenAt', 'locale', 'timezone']),
  versions: bulkSelect('profiles.versions', profiles, PERSON, [...PERSON, 'version']),
  full: bulkSelect('profiles.full', profiles, PERSON, [
    ...PERSON,
    'traits',
    'version',
    'isTruncated',
    'email',
    'phone',
    'accountEmail',
    'accountPhone',
    'locale',
    'timezone',
    'localeOverride',
    'timezoneOverride',
    'createdAt',
    'lastSeenAt',
  ]),
  withPhone: bulkSelect(
    'profiles.with_phone',
    profiles,
    [...SCOPE, 'phone'],
    PERSON,
    (column) => `${column('phone')} is not null`,
    1,
  ),
  aliasesOf: bulkSelect('profiles.aliases', aliases, [...SCOPE, 'anonymousId'], [...SCOPE, 'anonymousId', 'userId']),
});

export type ProfileStatements = ReturnType<typeof profileStatements>;
