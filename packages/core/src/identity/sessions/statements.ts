import { bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { SessionTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const SESSION = [
  ...KEY,
  ...(['accountId', 'aal', 'amr', 'authTime', 'ipNet', 'userAgent', 'deviceId', 'createdAt', 'lastSeenAt'] as const),
  ...(['idleExpiresAt', 'absoluteExpiresAt', 'actor'] as const),
] as const;
const REVOKED = ['revokedAt', 'revokeReason'] as const;
const TOKEN = [
  ...SCOPE,
  ...(['hash', 'id', 'sessionId', 'parentId', 'state', 'usedAt', 'siblings', 'createdAt'] as const),
] as const;

/** The statements of sessions and refresh tokens. */
export const sessionStatements = ({ authSessions, authRefreshTokens }: SessionTables) => {
  const isLive = (column: (name: string) => string): string => `${column('revoked_at')} is null`;
  return {
    insert: bulkInsert('auth.insert_session', authSessions, SESSION),
    /** A refresh: only of a session that is not revoked. */
    touch: bulkUpdate('auth.touch_session', authSessions, {
      where: KEY,
      set: { lastSeenAt: 'greatest', idleExpiresAt: 'value' },
      when: isLive,
      isGuarded: true,
    }),
    /** A step-up, or a second factor: only of a session that is not revoked. */
    authenticate: bulkUpdate('auth.authenticate_session', authSessions, {
      where: KEY,
      set: { authTime: 'value', aal: 'value', amr: 'value' },
      when: isLive,
      isGuarded: true,
    }),
    revoke: bulkUpdate('auth.revoke_session', authSessions, {
      where: KEY,
      set: { revokedAt: 'value', revokeReason: 'value' },
      when: isLive,
      isGuarded: true,
    }),
    insertToken: bulkInsert('auth.insert_refresh_token', authRefreshTokens, TOKEN),
    /** Of two exchanges of one token, one is the first. */
    useToken: bulkUpdate('auth.use_refresh_token', authRefreshTokens, {
      where: [...SCOPE, 'hash'],
      set: { state: 'value', usedAt: 'value' },
      when: (column) => `${column('state')} = 'active'`,
      isGuarded: true,
    }),
    addSibling: bulkUpdate('auth.add_refresh_sibling', authRefreshTokens, {
      where: [...SCOPE, 'hash', 'siblings'],
      set: { siblings: 'increment' },
      isGuarded: true,
    }),
    byId: bulkSelect('auth.session', authSessions, KEY, [...SESSION, ...REVOKED]),
    liveOf: bulkSelect('auth.sessions_of', authSessions, [...SCOPE, 'accountId'], [...SESSION, ...REVOKED], isLive),
    token: bulkSelect('auth.refresh_token', authRefreshTokens, [...SCOPE, 'hash'], TOKEN),
    childrenOf: bulkSelect(
      'auth.refresh_children',
      authRefreshTokens,
      [...SCOPE, 'sessionId', 'parentId'],
      [...SCOPE, 'id', 'state'],
    ),
  };
};
