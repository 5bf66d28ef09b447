import type { AccountRow } from '../accounts/account.ts';
import type { AuthEvent } from '../commit/commit.ts';

/**
 * The event of a changed user. Throws nothing.
 *
 * @param row after the change. Its version tells the changes of one user apart.
 * @param changed names of the fields that changed
 */
export const identified = (
  { id, userId, version }: Pick<AccountRow, 'id' | 'userId' | 'version'>,
  changed: readonly string[],
): AuthEvent => ({
  ...{ name: 'user.identified', userId, subject: `${id}/${version}` },
  properties: { userId, changed },
});
