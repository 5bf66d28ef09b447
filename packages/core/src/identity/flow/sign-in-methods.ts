// The ways in which a user can sign in. The last one cannot be removed.

import { conflict } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';

/** Counts the ways of one kind, such as the passkeys of an account. Each module contributes its own. */
export type CountSignInMethods = (scope: Scope, account: AccountRow) => Promise<number>;

/**
 * Refuses to remove one way to sign in if it is the last one. The commit that removes it also changes the row of the
 * account (`accounts.change`), so that of two removals at once the second one counts again.
 *
 * Throws CONFLICT `last_method`.
 */
export const requireOtherMethod = async (
  { signInMethods }: { readonly signInMethods: readonly CountSignInMethods[] },
  scope: Scope,
  account: AccountRow,
): Promise<void> => {
  const counts = await Promise.all(signInMethods.map((count) => count(scope, account)));
  if (counts.reduce((sum, count) => sum + count, 0) <= 1) throw conflict('last_method');
};
