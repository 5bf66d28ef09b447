import type { Columns } from '../../database/columns.ts';

/** How a first factor was proven, for the session that follows the second one. */
export type PendingSignIn = {
  /** Social provider or connection; absent: none. */
  readonly provider?: string | undefined;
  readonly method: string;
  readonly amr: readonly string[];
  readonly deviceId: string | null;
  readonly isNewUser: boolean;
};

/** Second factors, recovery codes, counters of wrong codes, and challenges. */
export const mfaTables = (c: Columns) => ({
  authFactors: c.table(
    'auth_factors',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      accountId: c.id('account_id').notNull(),
      type: c.text('type').$type<'totp'>().notNull(),
      /** Sealed. Null: lost, since a backup without secrets was restored. The factor still counts as one. */
      secret: c.text('secret'),
      /** Time step of the last accepted code; this and earlier ones are refused. */
      lastStep: c.int('last_step'),
      /** Wrong codes of the enrollment. */
      tries: c.int('tries').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** Null: the enrollment has not ended. */
      confirmedAt: c.time('confirmed_at'),
      lastUsedAt: c.time('last_used_at'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] }), c.index('auth_factors_account').on(t.scopeId, t.accountId)],
  ),
  authRecoveryCodes: c.table(
    'auth_recovery_codes',
    {
      scopeId: c.scope('scope_id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** SHA-256 over scope, account and code. It needs no key, so codes survive a restore without secrets. */
      hash: c.text('hash').notNull(),
      usedAt: c.time('used_at'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.accountId, t.hash] })],
  ),
  authMfaState: c.table(
    'auth_mfa_state',
    {
      scopeId: c.scope('scope_id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** Incremented by every attempt; an attempt is guarded by the version that was read. */
      version: c.int('version').notNull(),
      wrongInRow: c.int('wrong_in_row').notNull(),
      wrongTotal: c.int('wrong_total').notNull(),
      nextAllowedAt: c.time('next_allowed_at'),
      blockedAt: c.time('blocked_at'),
      noticedAt: c.time('noticed_at'),
      noticesInHour: c.int('notices_in_hour').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.accountId] })],
  ),
  authMfaChallenges: c.table(
    'auth_mfa_challenges',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Of a sign-in its own id; of a signed-in user the id of the session. */
      id: c.id('id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** SHA-256 of the secret; null: the implicit challenge of a session. */
      hash: c.text('hash'),
      codesUsed: c.int('codes_used').notNull(),
      firstWrongAt: c.time('first_wrong_at'),
      expiresAt: c.time('expires_at').notNull(),
      consumedAt: c.time('consumed_at'),
      pending: c.json<PendingSignIn>('pending').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('auth_mfa_challenges_account').on(t.scopeId, t.accountId),
      c.index('auth_mfa_challenges_expiry').on(t.expiresAt),
    ],
  ),
});

export type MfaTables = ReturnType<typeof mfaTables>;
