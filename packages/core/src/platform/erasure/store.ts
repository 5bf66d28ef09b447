import { and, eq } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { LeaseKey } from '../../database/statements/claim.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ErasureRow, ErasureTables } from './tables.ts';

/** Erasure requests. */
export const erasureStore = ({ db, tables: { erasures } }: Pick<StoreContext<ErasureTables>, 'db' | 'tables'>) => {
  const isHeld = ({ scopeId, id, fence }: LeaseKey) =>
    and(eq(erasures.scopeId, scopeId), eq(erasures.id, id), eq(erasures.fence, fence));
  return {
    /** The id of this user's pending request. */
    pendingOf: async (scope: InScope, userId: string): Promise<string | undefined> =>
      (
        await db
          .select({ id: erasures.id })
          .from(erasures)
          .where(and(eq(erasures.scopeId, scope.scopeId), eq(erasures.userId, userId)))
          .limit(1)
      ).at(0)?.id,
    insert: async (row: ErasureRow): Promise<void> => {
      await db.insert(erasures).values(row);
    },
    get: async (scope: InScope, id: string): Promise<ErasureRow | undefined> =>
      (
        await db
          .select()
          .from(erasures)
          .where(and(eq(erasures.scopeId, scope.scopeId), eq(erasures.id, id)))
      ).at(0),
    /** Removes the user id from the request. */
    forget: async (lease: LeaseKey): Promise<void> => {
      await db.update(erasures).set({ userId: null }).where(isHeld(lease));
    },
    finish: async (lease: LeaseKey, finishedAt: Date): Promise<void> => {
      await db.update(erasures).set({ finishedAt, dueAt: null, leaseUntil: null }).where(isHeld(lease));
    },
    /** Resets its count of claims, so that a later claim is not dead-lettered. */
    putOff: async (lease: LeaseKey, dueAt: Date): Promise<void> => {
      await db.update(erasures).set({ dueAt, leaseUntil: null, fence: 0 }).where(isHeld(lease));
    },
  };
};
