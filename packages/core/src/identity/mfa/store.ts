import { and, asc, count, eq, gt, inArray, isNotNull, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { MfaTables } from './tables.ts';

/** Second factors as they expire, are erased and sealed again; cold paths only. */
export const mfaStore = ({
  db,
  tables: { authFactors, authRecoveryCodes, authMfaState, authMfaChallenges },
}: Pick<StoreContext<MfaTables>, 'db' | 'tables'>) => ({
  /** Deletes challenges that expired before a moment, in any environment. Returns their number. */
  removeExpiredOfAll: async (before: Date, limit: number): Promise<number> => {
    const rows = await db
      .select({ id: authMfaChallenges.id })
      .from(authMfaChallenges)
      .where(lt(authMfaChallenges.expiresAt, before))
      .limit(limit);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    const expired = and(inArray(authMfaChallenges.id, ids), lt(authMfaChallenges.expiresAt, before));
    return (await db.delete(authMfaChallenges).where(expired).returning({ id: authMfaChallenges.id })).length;
  },
  /** Deletes everything of these accounts. Returns the number of deleted rows. */
  erase: async ({ scopeId }: InScope, accountIds: readonly string[]): Promise<number> => {
    if (accountIds.length === 0) return 0;
    let erased = 0;
    for (const table of [authFactors, authRecoveryCodes, authMfaState, authMfaChallenges]) {
      const theirs = and(eq(table.scopeId, scopeId), inArray(table.accountId, [...accountIds]));
      erased += (await db.delete(table).where(theirs).returning({ accountId: table.accountId })).length;
    }
    return erased;
  },
  countSealedOfAll: async (): Promise<number> =>
    (await db.select({ count: count() }).from(authFactors).where(isNotNull(authFactors.secret)))[0]?.count ?? 0,
  sealedOfAll: (after: { readonly scopeId: number; readonly id: string } | null, limit: number) =>
    db
      .select({ scopeId: authFactors.scopeId, id: authFactors.id, secret: authFactors.secret })
      .from(authFactors)
      .where(
        and(
          isNotNull(authFactors.secret),
          after === null
            ? undefined
            : or(
                gt(authFactors.scopeId, after.scopeId),
                and(eq(authFactors.scopeId, after.scopeId), gt(authFactors.id, after.id)),
              ),
        ),
      )
      .orderBy(asc(authFactors.scopeId), asc(authFactors.id))
      .limit(limit),
  reseal: async (key: { readonly scopeId: number; readonly id: string }, from: string, to: string): Promise<void> => {
    await db
      .update(authFactors)
      .set({ secret: to })
      .where(and(eq(authFactors.scopeId, key.scopeId), eq(authFactors.id, key.id), eq(authFactors.secret, from)));
  },
});

export type MfaStore = ReturnType<typeof mfaStore>;
