import { and, eq, inArray } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { IdentityTables } from './tables.ts';

/** Identities as they are erased; cold paths only. */
export const identityStore = ({
  db,
  tables: { authIdentities },
}: Pick<StoreContext<IdentityTables>, 'db' | 'tables'>) => ({
  /** Deletes some identities of a connection. Returns their number. */
  removeOfConnection: async ({ scopeId }: InScope, connectionId: string, limit: number): Promise<number> => {
    const ofConnection = and(eq(authIdentities.scopeId, scopeId), eq(authIdentities.connectionId, connectionId));
    const rows = await db.select({ id: authIdentities.id }).from(authIdentities).where(ofConnection).limit(limit);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await db.delete(authIdentities).where(and(ofConnection, inArray(authIdentities.id, ids)));
    return rows.length;
  },
  /** Deletes the identities of accounts. Returns the number of deleted rows. */
  erase: async ({ scopeId }: InScope, accountIds: readonly string[]): Promise<number> => {
    if (accountIds.length === 0) return 0;
    const rows = await db
      .delete(authIdentities)
      .where(and(eq(authIdentities.scopeId, scopeId), inArray(authIdentities.accountId, [...accountIds])))
      .returning({ id: authIdentities.id });
    return rows.length;
  },
});

export type IdentityStore = ReturnType<typeof identityStore>;
