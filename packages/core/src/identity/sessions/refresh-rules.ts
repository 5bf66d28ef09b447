// Decides the answer to a refresh token. A token works once. Its answer may be lost and several tabs may send it at the same
// moment, so for ten seconds it may create up to three siblings of its child. Any later use means that two parties hold the
// token: the session ends.
//
// The caller loads the rows, decides, and commits guarded by the token's state and the session's `revokedAt`. A failed guard
// starts over.

/** Milliseconds for which a used token may create siblings. Source of these numbers: authentication design, Refresh rotation. */
export const REFRESH_GRACE_MS = 10_000;
/** Siblings of a token's first child, so a session has at most four live tokens with one parent. */
export const MAX_SIBLINGS = 3;

/** A stored refresh token. Times are milliseconds since 1970. */
export type RefreshToken = {
  readonly scopeId: number;
  readonly state: 'active' | 'used';
  readonly usedAtMs: number | null;
  readonly expiresAtMs: number;
  /** Siblings of its first child. */
  readonly siblings: number;
  /** True if a child or sibling was used already. */
  readonly hasUsedChild: boolean;
};

/** The token's session. Times are milliseconds since 1970. */
export type RefreshSession = {
  readonly revokedAtMs: number | null;
  readonly idleExpiresAtMs: number;
  readonly absoluteExpiresAtMs: number;
};

/** The session's user. */
export type RefreshUser = {
  readonly isDisabled: boolean;
  /** True if a SCIM directory deactivated the user. */
  readonly isScimInactive: boolean;
};

export type RefreshDecision =
  /** 200. The token becomes `used`, and a child is inserted. */
  | { readonly action: 'rotate' }
  /** 200. `siblings` grows by one, and a sibling of the child is inserted. */
  | { readonly action: 'sibling' }
  /** 409 `refresh_in_progress`. Nothing is written. */
  | { readonly action: 'conflict' }
  /** 401. Nothing is written. */
  | { readonly action: 'refuse'; readonly reason: 'refresh_invalid' | 'session_expired' }
  /** 401 `session_expired`. The session has reached a limit: its event is raised, once. */
  | { readonly action: 'expire'; readonly limit: 'idle' | 'absolute' }
  /** 401 `refresh_reused`. The session is revoked, and its event is raised. */
  | { readonly action: 'revoke'; readonly reason: 'refresh_reuse' };

const limitOf = (
  { idleExpiresAtMs, absoluteExpiresAtMs }: RefreshSession,
  nowMs: number,
): 'idle' | 'absolute' | null => {
  if (absoluteExpiresAtMs <= nowMs) return 'absolute';
  return idleExpiresAtMs <= nowMs ? 'idle' : null;
};

const decideUsed = (token: RefreshToken, hasDeviceToken: boolean, nowMs: number): RefreshDecision => {
  // Clocks of two processes differ, so the use may seem to be in the future; that is within the grace.
  const isInGrace = token.usedAtMs !== null && nowMs - token.usedAtMs <= REFRESH_GRACE_MS;
  if (!token.hasUsedChild && (isInGrace || hasDeviceToken)) {
    if (token.siblings < MAX_SIBLINGS) return { action: 'sibling' };
    if (isInGrace) return { action: 'conflict' };
  }
  return { action: 'revoke', reason: 'refresh_reuse' };
};

/**
 * Decides about a refresh.
 *
 * @param scopeId scope of the API key; a token of another scope is answered like an unknown one
 * @param stored the token with this hash, its session and user; null if there is none
 * @param hasDeviceToken true if the request has a valid device token of the session's user and device
 * @returns what to answer and to write. Throws nothing.
 */
export const decideRefresh = ({
  scopeId,
  stored,
  hasDeviceToken,
  nowMs,
}: {
  readonly scopeId: number;
  readonly stored: {
    readonly token: RefreshToken;
    readonly session: RefreshSession;
    readonly user: RefreshUser;
  } | null;
  readonly hasDeviceToken: boolean;
  readonly nowMs: number;
}): RefreshDecision => {
  if (!stored || stored.token.scopeId !== scopeId) return { action: 'refuse', reason: 'refresh_invalid' };
  const { token, session, user } = stored;
  if (session.revokedAtMs !== null) return { action: 'refuse', reason: 'session_expired' };
  const limit = limitOf(session, nowMs);
  if (limit) return { action: 'expire', limit };
  // The session of such a user is revoked in the commit that disables the user; a session without it gets no token either.
  if (user.isDisabled || user.isScimInactive) return { action: 'refuse', reason: 'session_expired' };
  if (token.state === 'used') return decideUsed(token, hasDeviceToken, nowMs);
  return token.expiresAtMs <= nowMs ? { action: 'refuse', reason: 'session_expired' } : { action: 'rotate' };
};

const DAY_MS = 86_400_000;

/**
 * When a session ends if it is not refreshed: `idleDays` from now, but never after its absolute limit. Milliseconds since
 * 1970. Throws nothing.
 */
export const idleExpiryOf = ({
  nowMs,
  idleDays,
  absoluteExpiresAtMs,
}: {
  readonly nowMs: number;
  readonly idleDays: number;
  readonly absoluteExpiresAtMs: number;
}): number => Math.min(nowMs + idleDays * DAY_MS, absoluteExpiresAtMs);
