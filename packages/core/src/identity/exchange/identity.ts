// Sign-in with an identity that a provider has stated: finds or creates the account. Serves social sign-in and the sign-in of
// organizations alike.

import { conflict } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthChange, AuthEvent } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import { proveMailbox } from '../flow/prove.ts';
import type { ExternalIdentity } from '../identities/identities.ts';
import { accountExists, forbiddenFor, type UnauthorizedReason, unauthorizedFor } from '../shapes/errors.ts';

/** Fields of an account that a provider may state. */
export type IdentityFields = { readonly locale: string | null; readonly externalId: string | null };

/** What a sign-in with an identity needs besides the identity. */
export type IdentityRules = {
  readonly settings: AuthSettings;
  /** True: a verified address may link the identity to the account with the same verified address. */
  readonly isAutoLinked: boolean;
  /** Reason of the 401 for an account that may not sign in. */
  readonly refusal: UnauthorizedReason;
  readonly source: 'social' | 'sso';
  /** What a new account takes over besides the identity. */
  readonly fields?: IdentityFields | undefined;
};

/** The account of an identity, and what has to be written before its session. */
export type IdentityAccount = {
  /** As it is when the writes are done. */
  readonly account: AccountRow;
  readonly isNewUser: boolean;
  readonly change: Required<Pick<AuthChange, 'writes' | 'events' | 'profile'>>;
};

/** The event of an identity that was added to an account or removed. Throws nothing. */
export const identitiesChanged = (account: AccountRow, subject: string): AuthEvent => ({
  ...{ name: 'user.identified', userId: account.userId, subject },
  properties: { userId: account.userId, changed: ['identities'] },
});

type Plan = (scope: Scope, identity: ExternalIdentity, rules: IdentityRules, now: Date) => Promise<IdentityAccount>;

/** The account with the verified address of an identity; null without a verified address or an account. */
const matching = async (
  { accounts }: Pick<AuthContext, 'accounts'>,
  scope: Scope,
  { email, emailVerified }: ExternalIdentity,
) => {
  // An address that the provider has not verified matches nothing, and is stored as a label of the identity only.
  const address = emailVerified && email !== null ? accountEmailOf(email) : null;
  return { address, other: address && (await accounts.byEmail(scope, address.emailNorm)) };
};

/**
 * Plans the account of an identity. In this order: the account that has the identity; the account with the verified
 * address, if nobody has proven that address yet (whatever credentials it had go) or the settings link such accounts; a
 * new account.
 *
 * Throws UNAUTHORIZED for a disabled account, CONFLICT `account_exists_link_required`, FORBIDDEN `signup_disabled`.
 */
export const accountOfIdentity =
  (context: AuthContext): Plan =>
  async (scope, identity, { settings, isAutoLinked, refusal, source, fields: stated }, now) => {
    const { accounts, identities } = context;
    const { address, other } = await matching(context, scope, identity);
    const linked = await identities.bySubject(scope, identity);
    const owner = linked ? await accounts.byId(scope, linked.accountId) : other;
    if (linked && !owner) throw unauthorizedFor(refusal);
    // Another connection may not sign in the users of this one, even if both have the same identity provider.
    if (linked && linked.connectionId !== identity.connectionId) throw unauthorizedFor(refusal);

    if (owner) {
      if (owner.disabledAt !== null) throw unauthorizedFor(refusal);
      const isProof = address !== null && address.emailNorm === owner.emailNorm && owner.emailVerifiedAt === null;
      if (linked && !isProof) return unchanged(context, owner, now);
      if (!linked && !isProof && !isAutoLinked) throw conflict('account_exists_link_required');
      const proven = await proveMailbox(context, scope, owner, { keepsCredentials: false, settings, now });
      const link = identities.link(scope, owner.id, identity, now);
      // The row of the account changes in either case, so that a removal of credentials at the same time counts again.
      const changed = proven.isFirst ? null : accounts.change(owner, {}, now);
      const account = changed?.row ?? proven.account;
      return {
        account: { ...account, lastSignInAt: now },
        isNewUser: owner.usableAt === null,
        change: {
          writes: [...proven.writes, ...(changed ? [changed.write] : []), accounts.signIn(account, now), link.write],
          profile: proven.profile,
          events: [...proven.events, identitiesChanged(account, link.row.id)],
        },
      };
    }

    if (settings.signup.mode === 'disabled') throw forbiddenFor('signup_disabled');
    const externalId = stated?.externalId ?? null;
    // The profile of that userId belongs to another account.
    if (externalId !== null && (await accounts.byUserId(scope, externalId))) throw accountExists();
    const fields = {
      ...{ email: address, isEmailVerified: address !== null, name: identity.name },
      ...{ locale: stated?.locale ?? null, externalId },
    };
    const row = { ...accounts.draft(scope, fields, source, now), usableAt: now, lastSignInAt: now };
    const usable = accounts.usable(row, settings);
    return {
      account: row,
      isNewUser: true,
      change: {
        writes: [accounts.insert(row), identities.link(scope, row.id, identity, now).write],
        profile: usable.profile,
        events: usable.events,
      },
    };
  };

const unchanged = ({ accounts }: AuthContext, account: AccountRow, now: Date): IdentityAccount => ({
  account: { ...account, lastSignInAt: now },
  isNewUser: false,
  change: { writes: [accounts.signIn(account, now)], profile: null, events: [] },
});

/**
 * Plans the upgrade of a guest by an identity: the guest keeps its id and its data.
 *
 * Throws CONFLICT `account_exists` if the identity or its verified address belongs to another account.
 */
export const upgradeByIdentity =
  (context: AuthContext) =>
  async (
    scope: Scope,
    guest: AccountRow,
    identity: ExternalIdentity,
    settings: AuthSettings,
    now: Date,
  ): Promise<IdentityAccount> => {
    const { accounts, identities } = context;
    const { address, other } = await matching(context, scope, identity);
    if (other || (await identities.bySubject(scope, identity))) throw accountExists();
    const { row, write } = accounts.change(
      guest,
      {
        ...(address && { email: address.email, emailNorm: address.emailNorm, emailVerifiedAt: now }),
        ...{
          isAnonymous: false,
          name: guest.name ?? identity.name,
          usableAt: guest.usableAt ?? now,
          lastSignInAt: now,
        },
      },
      now,
    );
    const link = identities.link(scope, guest.id, identity, now);
    const { profile, events } = accounts.usable(row, settings, { upgraded: true });
    return {
      account: row,
      isNewUser: true,
      change: {
        writes: [write, link.write],
        profile,
        // The guest's own sign-up had the account's id as its subject.
        events: [
          ...events.map((event) => ({ ...event, subject: `${row.id}/upgraded` })),
          identitiesChanged(row, link.row.id),
        ],
      },
    };
  };
