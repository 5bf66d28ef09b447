import { and, eq, inArray, isNotNull, isNull, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { SessionRow } from './session.ts';
import type { SessionTables } from './tables.ts';

/** Sessions as they expire and are erased; cold paths only. */
export const sessionStore = ({
  db,
  tables: { authSessions, authRefreshTokens },
}: Pick<StoreContext<SessionTables>, 'db' | 'tables'>) => {
  const remove = async (rows: readonly Pick<SessionRow, 'scopeId' | 'id'>[]): Promise<number> => {
    let removed = 0;
    for (const [scopeId, group] of Map.groupBy(rows, (row) => row.scopeId)) {
      const ids = group.map(({ id }) => id);
      const tokens = await db
        .delete(authRefreshTokens)
        .where(and(eq(authRefreshTokens.scopeId, scopeId), inArray(authRefreshTokens.sessionId, ids)))
        .returning({ id: authRefreshTokens.id });
      const sessions = await db
        .delete(authSessions)
        .where(and(eq(authSessions.scopeId, scopeId), inArray(authSessions.id, ids)))
        .returning({ id: authSessions.id });
      removed += tokens.length + sessions.length;
    }
    return removed;
  };
  return {
    /** Sessions past a limit that nothing has ended yet, in any environment. */
    overdueOfAll: (now: Date, limit: number): Promise<SessionRow[]> =>
      db
        .select()
        .from(authSessions)
        .where(
          and(
            isNull(authSessions.revokedAt),
            or(lt(authSessions.idleExpiresAt, now), lt(authSessions.absoluteExpiresAt, now)),
          ),
        )
        .limit(limit),
    /** Deletes sessions that ended before a moment, with their refresh tokens. Returns the number of deleted rows. */
    removeEndedOfAll: async (before: Date, limit: number): Promise<number> => {
      const ended = await db
        .select({ scopeId: authSessions.scopeId, id: authSessions.id })
        .from(authSessions)
        .where(and(isNotNull(authSessions.revokedAt), lt(authSessions.revokedAt, before)))
        .limit(limit);
      return remove(ended);
    },
    /** Deletes the sessions of accounts. Returns the number of deleted rows. */
    erase: async ({ scopeId }: InScope, accountIds: readonly string[], limit: number): Promise<number> => {
      if (accountIds.length === 0) return 0;
      const rows = await db
        .select({ scopeId: authSessions.scopeId, id: authSessions.id })
        .from(authSessions)
        .where(and(eq(authSessions.scopeId, scopeId), inArray(authSessions.accountId, [...accountIds])))
        .limit(limit);
      return remove(rows);
    },
  };
};

export type SessionStore = ReturnType<typeof sessionStore>;
