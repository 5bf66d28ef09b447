import type { AccountTables } from './tables.ts';

/** How an account came to be. */
export const ACCOUNT_SOURCES = ['signup', 'admin', 'import', 'social', 'sso', 'scim', 'anonymous'] as const;
export type AccountSource = (typeof ACCOUNT_SOURCES)[number];

export type AccountRow = AccountTables['authUsers']['$inferSelect'];
export type PasswordRow = AccountTables['authPasswords']['$inferSelect'];

/** True for an account whose address the user has proven to own. */
export const isVerified = ({ emailVerifiedAt }: Pick<AccountRow, 'emailVerifiedAt'>): boolean =>
  emailVerifiedAt !== null;
