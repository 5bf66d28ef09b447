import { write } from '../../database/commit/write-set.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { personTag } from '../events/pipeline.ts';
import type { PeopleDraft } from './change.ts';
import { mergeTraits } from './merge.ts';
import type { ProfileStatements } from './statements.ts';
import type { PersonKey, ProfileView, Traits } from './view.ts';

/** What the account of a user makes of the profile. */
export type AccountProfile = {
  readonly userId: string;
  /** Verified address; null: none. */
  readonly email: string | null;
  readonly phone: string | null;
  /** Traits that follow the account. */
  readonly traits: Readonly<Traits>;
};

/**
 * Creates the profile of an account, or changes its verified address. Guarded by the version that was read, with `tag`.
 *
 * @returns false if the profile already is like this. Throws nothing.
 */
export const putAccountProfile = (
  draft: PeopleDraft & { readonly now: Date },
  hot: Pick<ProfileStatements, 'insertOfAccount' | 'setAccount'>,
  input: { readonly key: PersonKey; readonly stored: ProfileView | null; readonly profile: AccountProfile },
  tag: string,
): boolean => {
  const { key, stored, profile } = input;
  const scope = scopeOf(key);
  const { person } = key;
  const account = { accountEmail: profile.email, accountPhone: profile.phone };
  if (stored === null) {
    const { traits, isTruncated } = mergeTraits({}, profile.traits);
    const after = {
      ...{ version: 1, traits, isTruncated, locale: null, timezone: null },
      ...{ createdAt: draft.now, lastSeenAt: draft.now, ...account },
    };
    draft.people.set(personTag(scope, person), { scope, person, before: null, after });
    draft.writes.push(write(hot.insertOfAccount, { ...scope, person, ...after }, tag));
    return true;
  }
  const { traits } = mergeTraits(stored.traits, profile.traits);
  const isSame =
    (stored.accountEmail ?? null) === profile.email &&
    (stored.accountPhone ?? null) === profile.phone &&
    JSON.stringify(traits) === JSON.stringify(stored.traits);
  if (isSame) return false;
  const after = { ...stored, ...account, traits, version: stored.version + 1 };
  draft.people.set(personTag(scope, person), { scope, person, before: stored, after });
  draft.writes.push(write(hot.setAccount, { ...scope, person, version: stored.version, ...account, traits }, tag));
  return true;
};
