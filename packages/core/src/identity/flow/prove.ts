// Verification of the email address of an account. Credentials that were added before it may be an attacker's, so the first
// verification removes them, unless the same request proves that the user owns them.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountProfile } from '../../people/profiles/account-profile.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import type { AuthContext } from './context.ts';
import { identified } from './identified.ts';

export type Proven = {
  readonly account: AccountRow;
  /** What the proof changes of the account: for callers that change more of it with one write. */
  readonly changes: Partial<AccountRow>;
  /** The write of the account, and removals. */
  readonly writes: readonly Write[];
  /** Writes that remove credentials and sessions. */
  readonly removals: readonly Write[];
  readonly profile: AccountProfile | null;
  readonly events: readonly AuthEvent[];
  /** True for the first proof. */
  readonly isFirst: boolean;
};

/**
 * Plans the proof of the mailbox of an account: the first one verifies the address, makes the account usable, raises
 * `user.signed_up`, and removes the credentials and sessions that the account has. `keepsCredentials`: the user has also
 * proven to own the credentials, so they stay.
 */
export const proveMailbox = async (
  { accounts, unproven }: Pick<AuthContext, 'accounts' | 'unproven'>,
  scope: Scope,
  account: AccountRow,
  {
    keepsCredentials,
    settings,
    now,
  }: { readonly keepsCredentials: boolean; readonly settings: AuthSettings; readonly now: Date },
): Promise<Proven> => {
  if (account.emailVerifiedAt !== null)
    return { account, changes: {}, writes: [], removals: [], profile: null, events: [], isFirst: false };
  const verified = { emailVerifiedAt: now, usableAt: account.usableAt ?? now };
  const changes = { ...verified, ...(!keepsCredentials && { mfaEnabledAt: null }) };
  const { row, write } = accounts.change(account, changes, now);
  const removed = keepsCredentials ? [] : await Promise.all(unproven.map((remove) => remove(scope, account, now)));
  const removals = removed.flatMap(({ writes }) => writes);
  const usable = accounts.usable(row, settings);
  const events = account.usableAt === null ? usable.events : [identified(row, ['email'])];
  return {
    ...{ account: row, changes, removals },
    writes: [write, ...removals],
    profile: usable.profile,
    events: [...events, ...removed.flatMap((one) => one.events ?? [])],
    isFirst: true,
  };
};
