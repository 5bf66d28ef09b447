import type { Columns } from '../../database/columns.ts';
import type { PasskeyAlgorithm, PasskeyTransport } from './options.ts';

/** Passkeys, and the handle by which authenticators know a user. */
export const passkeyTables = (c: Columns) => ({
  authPasskeys: c.table(
    'auth_passkeys',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** base64url, as browsers name it. */
      credentialId: c.text('credential_id').notNull(),
      /** COSE key in base64url. A public key needs no sealing. */
      publicKey: c.text('public_key').notNull(),
      alg: c.int('alg').$type<PasskeyAlgorithm>().notNull(),
      /** Signatures that the authenticator has made; 0: it does not count. */
      counter: c.big('counter').notNull(),
      transports: c.json<readonly PasskeyTransport[]>('transports').notNull(),
      /** Null: unknown, as after an import. */
      isBackupEligible: c.bool('is_backup_eligible'),
      isBackedUp: c.bool('is_backed_up').notNull(),
      aaguid: c.text('aaguid').notNull(),
      name: c.text('name').notNull(),
      createdAt: c.time('created_at').notNull(),
      lastUsedAt: c.time('last_used_at'),
      /** Incremented by every use, so that of two uses with one counter the second one is checked again. */
      version: c.int('version').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_passkeys_credential').on(t.scopeId, t.credentialId),
      c.index('auth_passkeys_account').on(t.scopeId, t.accountId),
    ],
  ),
  authPasskeyHandles: c.table(
    'auth_passkey_handles',
    {
      scopeId: c.scope('scope_id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** 32 random bytes in base64url, which say nothing about the account. */
      handle: c.text('handle').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.accountId] }),
      c.unique('auth_passkey_handles_handle').on(t.scopeId, t.handle),
    ],
  ),
});

export type PasskeyTables = ReturnType<typeof passkeyTables>;
