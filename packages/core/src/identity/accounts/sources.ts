/** How an account came to be. */
export const ACCOUNT_SOURCES = ['signup', 'admin', 'import', 'social', 'sso', 'scim', 'anonymous'] as const;
export type AccountSource = (typeof ACCOUNT_SOURCES)[number];
