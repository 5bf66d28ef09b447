import { and, eq, inArray } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { IdentityTables } from './tables.ts';

/** Identities as they are erased; cold paths only. */
export const identityStore = ({
  db,
  tables: { authIdentities },
}: Pick<StoreContext<IdentityTables>, 'db' | 'tables'>) => ({
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
