// Sessions: creation at sign-in, refresh, revocation. A refresh token works once; see refresh-rules.ts.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Ids } from '../../foundation/ids.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthEvent } from '../commit/commit.ts';
import { hashSecret, newSecret } from '../one-time/secrets.ts';
import type { AuthSettings } from '../settings/schema.ts';
import { idleExpiryOf } from './refresh-rules.ts';
import { type Aal, REPORTED_REASONS, type RefreshTokenRow, type RevokeReason, type SessionRow } from './session.ts';
import type { SessionStatements } from './statements.ts';

const DAY_MS = 86_400_000;
/** Characters of a user agent that are stored. Source: auth.md, Tables. */
const MAX_USER_AGENT = 256;

/** Where a request comes from. */
export type ClientInfo = {
  /** IP address of the client; null: unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
};

/** A session and its first refresh token, on disk once the writes are committed. */
export type NewSession = {
  readonly session: SessionRow;
  readonly refreshToken: string;
  readonly writes: readonly Write[];
};

/** The /24 of an IPv4 address, the /48 of an IPv6 address or network; null for anything else. Throws nothing. */
export const ipNetOf = (ip: string | null): string | null => {
  if (ip === null) return null;
  const v4 = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}$/i.exec(ip);
  if (v4) return `${v4[1]}.${v4[2]}.${v4[3]}.0/24`;
  if (!ip.includes(':')) return null;
  const [head = '', tail = ''] = (ip.split(/[%/]/)[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = ip.includes('::') ? Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0') : [];
  const groups = [...first, ...zeros, ...last].slice(0, 3);
  return groups.length === 3 && groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/48`
    : null;
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

export type Sessions = {
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
  /** A further refresh token of a session, for one that was exchanged. */
  child(scope: Scope, parent: RefreshTokenRow, now: Date): { readonly refreshToken: string; readonly write: Write };
  /** A step-up: the session with a new time of authentication, and a further refresh token. */
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
  byId(scope: InScope, id: string): Promise<SessionRow | null>;
  /** Live sessions of an account, those past their limits included. */
  liveOf(scope: InScope, accountId: string): Promise<readonly SessionRow[]>;
};

/** Sessions that end, and what is reported of it. */
export type Revoked = {
  readonly count: number;
  readonly writes: readonly Write[];
  readonly events: readonly AuthEvent[];
};

/** True for a session that nothing has ended. Throws nothing. */
export const isLive = (session: SessionRow, now: Date): boolean =>
  session.revokedAt === null && session.idleExpiresAt > now && session.absoluteExpiresAt > now;

const GUARD = 'session';

export const sessionsEngine = ({
  storage,
  hot,
  ids,
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: SessionStatements;
  readonly ids: Ids;
}): Sessions => {
  const liveOf: Sessions['liveOf'] = ({ scopeId }, accountId) => storage.select(hot.liveOf, [[scopeId, accountId]]);
  const revokeWrite = ({ id, ...scope }: Pick<SessionRow, 'scopeId' | 'id'>, reason: RevokeReason, now: Date): Write =>
    write(hot.revoke, { ...scopeOf(scope), id, revokedAt: now, revokeReason: reason }, GUARD);
  const eventOf = (sessionId: string, userId: string, reason: RevokeReason): readonly AuthEvent[] =>
    REPORTED_REASONS.has(reason)
      ? [{ name: 'user.session_expired', userId, subject: sessionId, properties: { userId, sessionId, reason } }]
      : [];

  return {
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
        userAgent: client.userAgent?.slice(0, MAX_USER_AGENT).toWellFormed().replaceAll('\0', '') ?? null,
        deviceId: deviceId ?? ids.next(),
        idleExpiresAt: new Date(idleExpiryOf(idle)),
        absoluteExpiresAt,
        ...{ revokedAt: null, revokeReason: null },
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
    child: (scope, parent, now) => {
      const { refreshToken, row } = newToken(scope, ids, { sessionId: parent.sessionId, parentId: parent.id, now });
      return { refreshToken, write: write(hot.insertToken, row) };
    },
    authenticated: (scope, session, { aal, amr }, now) => {
      const next = { ...session, aal, amr: [...amr], authTime: now };
      const { refreshToken, row } = newToken(scope, ids, { sessionId: session.id, parentId: null, now });
      const step = { ...scopeOf(scope), id: session.id, aal, amr: [...amr], authTime: now };
      return {
        session: next,
        refreshToken,
        writes: [write(hot.authenticate, step, GUARD), write(hot.insertToken, row)],
      };
    },
    revoke: (_, session, userId, reason, now) => ({
      count: 1,
      writes: [revokeWrite(session, reason, now)],
      events: eventOf(session.id, userId, reason),
    }),
    revokeAll: async (scope, account, reason, now, except) => {
      const sessions = (await liveOf(scope, account.id)).filter(({ id }) => id !== except);
      return {
        count: sessions.length,
        writes: sessions.map((session) => revokeWrite(session, reason, now)),
        events: sessions.flatMap(({ id }) => eventOf(id, account.userId, reason)),
      };
    },
  };
};
