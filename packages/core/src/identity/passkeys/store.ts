import { and, eq, inArray } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { PasskeyTables } from './tables.ts';

/** Passkeys as they are erased; a cold path only. */
export const passkeyStore = ({
  db,
  tables: { authPasskeys, authPasskeyHandles },
}: Pick<StoreContext<PasskeyTables>, 'db' | 'tables'>) => ({
  /** Deletes everything of these accounts; answers how many rows went. */
  erase: async ({ scopeId }: InScope, accountIds: readonly string[]): Promise<number> => {
    if (accountIds.length === 0) return 0;
    let erased = 0;
    for (const table of [authPasskeys, authPasskeyHandles]) {
      const theirs = and(eq(table.scopeId, scopeId), inArray(table.accountId, [...accountIds]));
      erased += (await db.delete(table).where(theirs).returning({ accountId: table.accountId })).length;
    }
    return erased;
  },
});

export type PasskeyStore = ReturnType<typeof passkeyStore>;
