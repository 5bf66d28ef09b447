// What follows from the proof that a user owns the mailbox of an account. Credentials that were added before anybody had
// proven the mailbox may be an attacker's, so the first proof removes them unless it shows who added them.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountProfile } from '../../people/profiles/account-profile.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import type { AuthContext } from './context.ts';

export type Proven = {
  readonly account: AccountRow;
  readonly writes: readonly Write[];
  readonly profile: AccountProfile | null;
  readonly events: readonly AuthEvent[];
  /** True for the first proof. */
  readonly isFirst: boolean;
};

/**
 * Plans the proof of the mailbox of an account: the first one verifies the address, makes the account usable, raises
 * `user.signed_up`, and removes credentials and sessions of before. `keepsCredentials`: whoever proves the mailbox has
 * also shown that the credentials are theirs.
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
  if (account.emailVerifiedAt !== null) return { account, writes: [], profile: null, events: [], isFirst: false };
  const verified = { emailVerifiedAt: now, usableAt: account.usableAt ?? now };
  const changes = { ...verified, ...(!keepsCredentials && { mfaEnabledAt: null }) };
  const { row, write } = accounts.change(account, changes, now);
  const removed = keepsCredentials ? [] : await Promise.all(unproven.map((remove) => remove(scope, account, now)));
  const usable = accounts.usable(row, settings);
  const { userId } = row;
  const events: readonly AuthEvent[] =
    account.usableAt === null
      ? usable.events
      : [
          {
            name: 'user.identified',
            userId,
            subject: `${row.id}/${row.version}`,
            properties: { userId, changed: ['email'] },
          },
        ];
  return {
    account: row,
    writes: [write, ...removed.flatMap(({ writes }) => writes)],
    profile: usable.profile,
    events: [...events, ...removed.flatMap((one) => one.events ?? [])],
    isFirst: true,
  };
};
