import type { Columns } from '../../database/columns.ts';
import type { Aal, RefreshState, RevokeReason } from './reasons.ts';

/** Sessions of end users, and their refresh tokens. */
export const sessionTables = (c: Columns) => ({
  authSessions: c.table(
    'auth_sessions',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      accountId: c.id('account_id').notNull(),
      aal: c.text('aal').$type<Aal>().notNull(),
      /** Methods of authentication. Source: RFC 8176. */
      amr: c.json<readonly string[]>('amr').notNull(),
      authTime: c.time('auth_time').notNull(),
      /** Client network: the /24 of an IPv4 address, the /48 of an IPv6 address; null: unknown. */
      ipNet: c.text('ip_net'),
      userAgent: c.text('user_agent'),
      deviceId: c.id('device_id').notNull(),
      createdAt: c.time('created_at').notNull(),
      lastSeenAt: c.time('last_seen_at').notNull(),
      idleExpiresAt: c.time('idle_expires_at').notNull(),
      absoluteExpiresAt: c.time('absolute_expires_at').notNull(),
      revokedAt: c.time('revoked_at'),
      revokeReason: c.text('revoke_reason').$type<RevokeReason>(),
      /** Who acts as the user: `key:` and the id of a secret key, or `system`; null: the user. */
      actor: c.text('actor'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('auth_sessions_account').on(t.scopeId, t.accountId, t.id),
      c.index('auth_sessions_expiry').on(t.idleExpiresAt, t.scopeId, t.id),
    ],
  ),
  authRefreshTokens: c.table(
    'auth_refresh_tokens',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** SHA-256 in base64url. */
      hash: c.text('hash').notNull(),
      id: c.id('id').notNull(),
      sessionId: c.id('session_id').notNull(),
      /** The token that was exchanged for this one; null: the first of its session. */
      parentId: c.id('parent_id'),
      state: c.text('state').$type<RefreshState>().notNull(),
      usedAt: c.time('used_at'),
      /** Tokens that it gave besides its first child. */
      siblings: c.int('siblings').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.hash] }),
      c.index('auth_refresh_tokens_session').on(t.scopeId, t.sessionId, t.parentId),
    ],
  ),
});

export type SessionTables = ReturnType<typeof sessionTables>;
