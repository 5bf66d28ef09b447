// Sessions: creation at sign-in, refresh, revocation. A refresh token works once; see refresh-rules.ts.

import { type Write, write } from '../../database/commit/write-set.ts';
import { BeckonError } from '../../foundation/errors.ts';
import type { Ids } from '../../foundation/ids.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AccountRow } from '../accounts/account.ts';
import { type ClientInfo, ipNetOf } from '../audit/client.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import { hashSecret, newSecret } from '../one-time/secrets.ts';
import { type Aal, REPORTED_REASONS, type RevokeReason } from './reasons.ts';
import { idleExpiryOf } from './refresh-rules.ts';
import type { RefreshTokenRow, SessionRow } from './session.ts';
import { sessionStatements } from './statements.ts';
import { type SessionStore, sessionStore } from './store.ts';
import type { SessionTables } from './tables.ts';

export type SessionsPlatform = Platform<SessionTables>;

const DAY_MS = 86_400_000;
/** Characters of a user agent that are stored. Source: auth.md, Tables. */
const MAX_USER_AGENT = 256;

/** Time of authentication of a session that nobody authenticated: no freshness rule accepts it. */
const NEVER = new Date(0);

const userAgentOf = ({ userAgent }: ClientInfo): string | null =>
  userAgent?.slice(0, MAX_USER_AGENT).toWellFormed().replaceAll('\0', '') ?? null;

/** The 403 of a step-up in a session in which somebody else acts. */
const actingRefused = (): BeckonError =>
  new BeckonError('FORBIDDEN', 'An impersonated session cannot be authenticated again. Sign in as the user instead.', {
    details: { reason: 'reauth_required' },
  });

/** A session and its first refresh token, on disk once the writes are committed. */
export type NewSession = {
  readonly session: SessionRow;
  readonly refreshToken: string;
  readonly writes: readonly Write[];
};

const newToken = (
  scope: InScope,
  ids: Ids,
  { sessionId, parentId, now }: { readonly sessionId: string; readonly parentId: string | null; readonly now: Date },
): { readonly refreshToken: string; readonly row: RefreshTokenRow } => {
  const refreshToken = newSecret('refresh');
  const row: RefreshTokenRow = {
    ...scopeOf(scope),
    ...{ hash: hashSecret(refreshToken), id: ids.next(), sessionId, parentId, createdAt: now },
    ...{ state: 'active', usedAt: null, siblings: 0 },
  };
  return { refreshToken, row };
};

export type Sessions = SessionStore & {
  /** Plans a session, and the end of the oldest where the account has too many. */
  create(
    scope: Scope,
    input: {
      readonly account: Pick<AccountRow, 'id'>;
      readonly amr: readonly string[];
      readonly aal: Aal;
      readonly client: ClientInfo;
      readonly deviceId: string | null;
      readonly settings: AuthSettings['session'];
    },
    now: Date,
  ): Promise<NewSession>;
  /**
   * A session in which somebody else acts as the user: short, without a refresh token, and never fresh. It ends no other
   * session of the account.
   */
  createActing(
    scope: Scope,
    input: {
      readonly account: Pick<AccountRow, 'id'>;
      readonly actor: string;
      readonly client: ClientInfo;
      readonly lifeMs: number;
    },
    now: Date,
  ): { readonly session: SessionRow; readonly writes: readonly Write[] };
  /**
   * A step-up: the session with a new time of authentication, and a further refresh token. Throws FORBIDDEN
   * `reauth_required` for a session in which somebody else acts.
   */
  authenticated(
    scope: Scope,
    session: SessionRow,
    by: { readonly aal: Aal; readonly amr: readonly string[] },
    now: Date,
  ): NewSession;
  /** Ends live sessions of an account. `except`: a session that stays. */
  revokeAll(
    scope: Scope,
    account: Pick<AccountRow, 'id' | 'userId'>,
    reason: RevokeReason,
    now: Date,
    except?: string,
  ): Promise<Revoked>;
  revoke(scope: Scope, session: SessionRow, userId: string, reason: RevokeReason, now: Date): Revoked;
  /** The session with a new time of authentication, and its write. Throws as `authenticated`. */
  confirm(
    session: SessionRow,
    by: { readonly aal: Aal; readonly amr: readonly string[] },
    now: Date,
  ): { readonly session: SessionRow; readonly write: Write };
  /** The session with its new limit, and the write of its use. */
  use(session: SessionRow, idleDays: number, now: Date): { readonly session: SessionRow; readonly write: Write };
  byId(scope: InScope, id: string): Promise<SessionRow | null>;
  /** Live sessions of an account, those past their limits included. */
  liveOf(scope: InScope, accountId: string): Promise<readonly SessionRow[]>;
  /** A refresh token by its hash; null: it is unknown in this environment. */
  tokenOf(scope: InScope, hash: string): Promise<RefreshTokenRow | null>;
  /** Whether a token that was exchanged for this one has been used. */
  hasUsedChild(scope: InScope, token: RefreshTokenRow): Promise<boolean>;
  /** A refresh: the session with its new limit, and a further token for the one that is exchanged. */
  rotate(
    scope: Scope,
    input: {
      readonly session: SessionRow;
      readonly token: RefreshTokenRow;
      readonly isSibling: boolean;
      readonly idleDays: number;
    },
    now: Date,
  ): NewSession;
};

/** Sessions that end, with their writes and events. */
export type Revoked = {
  readonly count: number;
  readonly writes: readonly Write[];
  readonly events: readonly AuthEvent[];
};

/** True for a session that nothing has ended. Throws nothing. */
export const isLive = (session: SessionRow, now: Date): boolean =>
  session.revokedAt === null && session.idleExpiresAt > now && session.absoluteExpiresAt > now;

const GUARD = 'session';
const REFRESH_GUARD = 'refresh';

export const sessionsEngine = ({ storage, tables, ids }: SessionsPlatform): Sessions => {
  const hot = sessionStatements(tables);
  const liveOf: Sessions['liveOf'] = ({ scopeId }, accountId) => storage.select(hot.liveOf, [[scopeId, accountId]]);
  const revokeWrite = ({ id, ...scope }: Pick<SessionRow, 'scopeId' | 'id'>, reason: RevokeReason, now: Date): Write =>
    write(hot.revoke, { ...scopeOf(scope), id, revokedAt: now, revokeReason: reason }, GUARD);
  // The end of a session in which somebody else acted is no news about the user.
  const eventOf = (
    { id: sessionId, actor }: Pick<SessionRow, 'id' | 'actor'>,
    userId: string,
    reason: RevokeReason,
  ): readonly AuthEvent[] =>
    actor === null && REPORTED_REASONS.has(reason)
      ? [{ name: 'user.session_expired', userId, subject: sessionId, properties: { userId, sessionId, reason } }]
      : [];
  const confirm: Sessions['confirm'] = (session, { aal, amr }, now) => {
    if (session.actor !== null) throw actingRefused();
    const step = { aal, amr: [...amr], authTime: now };
    const key = { ...scopeOf(session), id: session.id };
    return { session: { ...session, ...step }, write: write(hot.authenticate, { ...key, ...step }, GUARD) };
  };
  const use: Sessions['use'] = (session, idleDays, now) => {
    const absoluteExpiresAtMs = session.absoluteExpiresAt.getTime();
    const idleExpiresAt = new Date(idleExpiryOf({ nowMs: now.getTime(), idleDays, absoluteExpiresAtMs }));
    const seen = { lastSeenAt: now, idleExpiresAt };
    const key = { ...scopeOf(session), id: session.id };
    return { session: { ...session, ...seen }, write: write(hot.touch, { ...key, ...seen }, REFRESH_GUARD) };
  };

  return {
    ...sessionStore({ db: storage.db, tables }),
    liveOf,
    byId: async ({ scopeId }, id) => (await storage.select(hot.byId, [[scopeId, id]]))[0] ?? null,
    create: async (scope, { account, amr, aal, client, deviceId, settings }, now) => {
      const absoluteExpiresAt = new Date(now.getTime() + settings.absoluteDays * DAY_MS);
      const idle = {
        nowMs: now.getTime(),
        idleDays: settings.idleDays,
        absoluteExpiresAtMs: absoluteExpiresAt.getTime(),
      };
      const session: SessionRow = {
        ...scopeOf(scope),
        ...{
          id: ids.next(),
          accountId: account.id,
          aal,
          amr: [...amr],
          authTime: now,
          createdAt: now,
          lastSeenAt: now,
        },
        ipNet: ipNetOf(client.ip),
        userAgent: userAgentOf(client),
        deviceId: deviceId ?? ids.next(),
        idleExpiresAt: new Date(idleExpiryOf(idle)),
        absoluteExpiresAt,
        ...{ revokedAt: null, revokeReason: null, actor: null },
      };
      const live = await liveOf(scope, account.id);
      const surplus = live
        .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
        .slice(0, Math.max(0, live.length + 1 - settings.maxPerUser));
      const { refreshToken, row } = newToken(scope, ids, { sessionId: session.id, parentId: null, now });
      return {
        session,
        refreshToken,
        writes: [
          ...surplus.map((one) => revokeWrite(one, 'replaced', now)),
          write(hot.insert, session),
          write(hot.insertToken, row),
        ],
      };
    },
    createActing: (scope, { account, actor, client, lifeMs }, now) => {
      const expiresAt = new Date(now.getTime() + lifeMs);
      const session: SessionRow = {
        ...scopeOf(scope),
        ...{ id: ids.next(), accountId: account.id, aal: 'aal1', amr: [], authTime: NEVER, createdAt: now },
        ...{ lastSeenAt: now, ipNet: ipNetOf(client.ip), userAgent: userAgentOf(client), deviceId: ids.next() },
        ...{ idleExpiresAt: expiresAt, absoluteExpiresAt: expiresAt, revokedAt: null, revokeReason: null, actor },
      };
      return { session, writes: [write(hot.insert, session)] };
    },
    tokenOf: async ({ scopeId }, hash) => (await storage.select(hot.token, [[scopeId, hash]]))[0] ?? null,
    hasUsedChild: async ({ scopeId }, { sessionId, id }) =>
      (await storage.select(hot.childrenOf, [[scopeId, sessionId, id]])).some(({ state }) => state === 'used'),
    confirm,
    use,
    rotate: (scope, { session, token, isSibling, idleDays }, now) => {
      const used = use(session, idleDays, now);
      const key = { ...scopeOf(scope), hash: token.hash };
      const exchange = isSibling
        ? write(hot.addSibling, { ...key, siblings: token.siblings }, REFRESH_GUARD)
        : write(hot.useToken, { ...key, state: 'used', usedAt: now }, REFRESH_GUARD);
      const { refreshToken, row } = newToken(scope, ids, { sessionId: session.id, parentId: token.id, now });
      return {
        session: used.session,
        refreshToken,
        writes: [used.write, exchange, write(hot.insertToken, row)],
      };
    },
    authenticated: (scope, session, { aal, amr }, now) => {
      const confirmed = confirm(session, { aal, amr }, now);
      const { refreshToken, row } = newToken(scope, ids, { sessionId: session.id, parentId: null, now });
      return {
        session: confirmed.session,
        refreshToken,
        writes: [confirmed.write, write(hot.insertToken, row)],
      };
    },
    revoke: (_, session, userId, reason, now) => ({
      count: 1,
      writes: [revokeWrite(session, reason, now)],
      events: eventOf(session, userId, reason),
    }),
    revokeAll: async (scope, account, reason, now, except) => {
      const sessions = (await liveOf(scope, account.id)).filter(({ id }) => id !== except);
      return {
        count: sessions.length,
        writes: sessions.map((session) => revokeWrite(session, reason, now)),
        events: sessions.flatMap((session) => eventOf(session, account.userId, reason)),
      };
    },
  };
};
