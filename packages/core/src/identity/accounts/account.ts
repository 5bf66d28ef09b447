import type { AccountTables } from './tables.ts';

export type AccountRow = AccountTables['authUsers']['$inferSelect'];
export type PasswordRow = AccountTables['authPasswords']['$inferSelect'];

/** True for an account whose address the user has proven to own. */
export const isVerified = ({ emailVerifiedAt }: Pick<AccountRow, 'emailVerifiedAt'>): boolean =>
  emailVerifiedAt !== null;
