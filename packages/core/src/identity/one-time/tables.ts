import type { Columns } from '../../database/columns.ts';
import type { OneTimeKind } from './kinds.ts';

/** Secrets that act once: links and codes in mails, states of redirects, challenges. */
export const oneTimeTables = (c: Columns) => ({
  authOneTime: c.table(
    'auth_one_time',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      kind: c.text('kind').$type<OneTimeKind>().notNull(),
      /** SHA-256 of the secret in base64url; null: the row has a code only. */
      hash: c.text('hash'),
      /** HMAC of the 6-digit code; null: none. */
      codeHash: c.text('code_hash'),
      /** Null: the mailbox has no account. */
      accountId: c.id('account_id'),
      emailNorm: c.text('email_norm'),
      /** PKCE challenge of the request, or the challenge of a passkey; null: the secret needs no verifier. */
      codeChallenge: c.text('code_challenge'),
      /** Sealed, such as a new address or a password hash; null: none. */
      payload: c.text('payload'),
      tries: c.int('tries').notNull(),
      maxTries: c.int('max_tries').notNull(),
      createdAt: c.time('created_at').notNull(),
      expiresAt: c.time('expires_at').notNull(),
      consumedAt: c.time('consumed_at'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_one_time_hash').on(t.hash),
      c.index('auth_one_time_mailbox').on(t.scopeId, t.kind, t.emailNorm),
      c.index('auth_one_time_account').on(t.scopeId, t.accountId),
      c.index('auth_one_time_expiry').on(t.expiresAt),
    ],
  ),
});

export type OneTimeTables = ReturnType<typeof oneTimeTables>;
