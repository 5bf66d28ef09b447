import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthEvent } from '../commit/commit.ts';

/**
 * Plans the removal of credentials of one kind that were added before the address of an account was verified. Each
 * module with credentials contributes one.
 */
export type RemoveUnproven = (
  scope: Scope,
  account: AccountRow,
  now: Date,
) => Promise<{ readonly writes: readonly Write[]; readonly events?: readonly AuthEvent[] }>;
