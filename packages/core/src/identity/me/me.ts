import { notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import { accountMetadataOf } from '../accounts/metadata.ts';
import type { AuthContext } from '../flow/context.ts';
import { identified } from '../flow/identified.ts';
import { parseBody } from '../flow/input.ts';
import { requireEnabled } from '../flow/require.ts';
import type { SessionRow } from '../sessions/session.ts';
import { isLive } from '../sessions/sessions.ts';
import type { Session, SessionsRevoked, User } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { logoutBody, meBody } from '../shapes/bodies.ts';
import { userOf } from '../shapes/user.ts';

/** A session as answers show it. Throws nothing. */
export const sessionOf = (row: SessionRow, currentId: string | null): Session => ({
  ...{ id: row.id, createdAt: row.createdAt, lastSeenAt: row.lastSeenAt, expiresAt: row.idleExpiresAt },
  ...{ ipNet: row.ipNet, userAgent: row.userAgent, aal: row.aal, amr: row.amr, current: row.id === currentId },
});

/** The fields of a body that an account has, normalised; fields that it leaves out are kept. Throws nothing. */
export const fieldsOf = ({ name, locale, timezone, metadata }: ReturnType<typeof meBody.parse>, isGuest: boolean) => ({
  ...(name !== undefined && { name }),
  ...(locale !== undefined && { locale }),
  ...(timezone !== undefined && { timezone }),
  ...(metadata !== undefined && { metadata: accountMetadataOf(metadata, isGuest).metadata }),
});

/** What signed-in users do with their own account. */
export const selfService = (context: AuthContext) => {
  const { accounts, sessions, audit } = context;
  return {
    get: ({ account }: Bearer): User => userOf(account),
    update: async (scope: Scope, { account }: Bearer, body: unknown): Promise<User> => {
      const input = parseBody(meBody, body);
      const settings = await context.settings.load(scope);
      return context.commit(scope, async (now) => {
        const current = await requireEnabled(context, scope, account);
        const changes = fieldsOf(input, current.isAnonymous);
        const changed = Object.keys(changes);
        if (changed.length === 0) return { change: {}, result: userOf(current) };
        const { row, write } = accounts.change(current, changes, now);
        return {
          change: {
            writes: [write],
            profile: current.usableAt === null ? null : accounts.profileOf(row, settings),
            events: [identified(row, changed)],
          },
          result: userOf(row),
        };
      });
    },
    sessions: async (scope: Scope, { account, session }: Bearer): Promise<readonly Session[]> => {
      const now = context.clock.now();
      const live = (await sessions.liveOf(scope, account.id)).filter((row) => isLive(row, now));
      return live
        .toSorted((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime())
        .map((row) => sessionOf(row, session.id));
    },
    /** Ends sessions of the caller. */
    logout: async (scope: Scope, { account, session }: Bearer, body: unknown): Promise<SessionsRevoked> => {
      const { scope: which } = parseBody(logoutBody, body === undefined ? {} : body);
      return context.commit(scope, async (now) => {
        const current = await sessions.byId(scope, session.id);
        if (which === 'current') {
          if (!current || current.revokedAt !== null) return { change: {}, result: { revoked: 0 } };
          const { writes, events } = sessions.revoke(scope, current, account.userId, 'logout', now);
          return { change: { writes, events }, result: { revoked: 1 } };
        }
        const except = which === 'others' ? session.id : undefined;
        const { count, writes, events } = await sessions.revokeAll(scope, account, 'logout', now, except);
        return { change: { writes, events }, result: { revoked: count } };
      });
    },
    /** Ends one session of the caller. Throws NOT_FOUND. */
    revokeSession: async (scope: Scope, { account }: Bearer, id: string): Promise<SessionsRevoked> =>
      context.commit(scope, async (now) => {
        const session = await sessions.byId(scope, id);
        if (!session || session.accountId !== account.id || !isLive(session, now))
          throw notFound('session with this id', scope);
        const { writes, events } = sessions.revoke(scope, session, account.userId, 'logout', now);
        const entry = { actor: `user:${account.id}`, action: 'session.revoke', target: id, result: 'ok' };
        return { change: { writes: [...writes, audit.record(scope, entry, now)], events }, result: { revoked: 1 } };
      }),
  };
};
