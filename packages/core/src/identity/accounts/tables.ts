import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { AccountSource } from './sources.ts';

/** End-user accounts and their passwords. */
export const accountTables = (c: Columns) => ({
  authUsers: c.table(
    'auth_users',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** userId of the profile: the external id, else the id of the account. Never changes. */
      userId: c.text('user_id').notNull(),
      externalId: c.text('external_id'),
      /** As the user wrote it; null for a guest. */
      email: c.text('email'),
      /** As addresses are compared. */
      emailNorm: c.text('email_norm'),
      emailVerifiedAt: c.time('email_verified_at'),
      phone: c.text('phone'),
      name: c.text('name'),
      locale: c.text('locale'),
      timezone: c.text('timezone'),
      metadata: c.json<Readonly<Record<string, unknown>>>('metadata').notNull(),
      isAnonymous: c.bool('is_anonymous').notNull(),
      /** When `user.signed_up` was raised and the profile created; null: not yet. */
      usableAt: c.time('usable_at'),
      disabledAt: c.time('disabled_at'),
      /** SCIM directory that disabled the account, and may enable it again; null: none, or an operator decided. */
      deactivatedBy: c.id('deactivated_by'),
      /** When the first second factor was confirmed; null: none is. Kept in step with the factors. */
      mfaEnabledAt: c.time('mfa_enabled_at'),
      source: c.text('source').$type<AccountSource>().notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      lastSignInAt: c.time('last_sign_in_at'),
      /** Incremented by every change; a change is guarded by the version that was read. */
      version: c.int('version').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_users_user').on(t.scopeId, t.userId),
      c.unique('auth_users_email').on(t.scopeId, t.emailNorm),
      c.index('auth_users_guests').on(t.isAnonymous, t.id),
      c.index('auth_users_unproven').on(t.id).where(sql`usable_at is null and last_sign_in_at is null`),
      c.unique('auth_users_external').on(t.scopeId, t.externalId),
    ],
  ),
  authPasswords: c.table(
    'auth_passwords',
    {
      scopeId: c.scope('scope_id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** As `passwords/formats` reads it. */
      hash: c.text('hash').notNull(),
      /** What the hash needs besides (`hash-configs/`); null for a hash that was made here. */
      hashConfigId: c.text('hash_config_id'),
      /** Challenge of the sign-up that set it: only its verifier keeps the password when the mailbox is proven. */
      codeChallenge: c.text('code_challenge'),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.accountId] }),
      // Shows which configurations of imported hashes are still in use.
      c.index('auth_passwords_config').on(t.scopeId, t.hashConfigId).where(sql`hash_config_id is not null`),
    ],
  ),
});

export type AccountTables = ReturnType<typeof accountTables>;
