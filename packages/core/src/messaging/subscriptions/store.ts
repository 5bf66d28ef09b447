import { and, eq, inArray } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { SubscriptionTables } from './tables.ts';

/** Choices of erased users. */
export const subscriptionStore = ({
  db,
  tables: { subscriptions },
}: Pick<StoreContext<SubscriptionTables>, 'db' | 'tables'>) => ({
  /** Returns the number of deleted rows. */
  erase: async ({ scopeId }: InScope, people: readonly string[]): Promise<number> =>
    (
      await db
        .delete(subscriptions)
        .where(and(eq(subscriptions.scopeId, scopeId), inArray(subscriptions.person, [...people])))
        .returning({ category: subscriptions.category })
    ).length,
});
