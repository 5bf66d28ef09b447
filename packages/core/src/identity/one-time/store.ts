import { and, eq, inArray, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { OneTimeTables } from './tables.ts';

/** One-time secrets as they expire and are erased; cold paths only. */
export const oneTimeStore = ({ db, tables: { authOneTime } }: Pick<StoreContext<OneTimeTables>, 'db' | 'tables'>) => ({
  /** Deletes rows that expired before a moment, in any environment. Returns their number. */
  removeExpiredOfAll: async (before: Date, limit: number): Promise<number> => {
    const rows = await db
      .select({ id: authOneTime.id })
      .from(authOneTime)
      .where(lt(authOneTime.expiresAt, before))
      .limit(limit);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    return (await db.delete(authOneTime).where(inArray(authOneTime.id, ids)).returning({ id: authOneTime.id })).length;
  },
  /** Deletes rows of accounts and mailboxes. Returns the mailbox of each. */
  erase: async (
    { scopeId }: InScope,
    accountIds: readonly string[],
    emails: readonly string[],
  ): Promise<readonly string[]> => {
    const theirs = [
      ...(accountIds.length === 0 ? [] : [inArray(authOneTime.accountId, [...accountIds])]),
      ...(emails.length === 0 ? [] : [inArray(authOneTime.emailNorm, [...emails])]),
    ];
    if (theirs.length === 0) return [];
    const rows = await db
      .delete(authOneTime)
      .where(and(eq(authOneTime.scopeId, scopeId), or(...theirs)))
      .returning({ emailNorm: authOneTime.emailNorm });
    return rows.map(({ emailNorm }) => emailNorm ?? '');
  },
});

export type OneTimeStore = ReturnType<typeof oneTimeStore>;
