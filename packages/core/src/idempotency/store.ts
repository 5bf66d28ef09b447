import { and, asc, eq, lte, or } from 'drizzle-orm';
import type { StoreContext } from '../storage/context.ts';
import type { IdempotencyTables } from './tables.ts';

type Key = Pick<IdempotencyTables['idempotencyKeys']['$inferSelect'], 'scopeId' | 'route' | 'key'>;

/** Remembered requests, as upkeep and transactions of other engines need them. */
export const idempotencyStore = ({
  db,
  tables: { idempotencyKeys: keys },
}: Pick<StoreContext<IdempotencyTables>, 'db' | 'tables'>) => ({
  /** False where somebody else answers for the key by now. */
  finish: async (key: Key, holder: string, answer: string, expiresAt: Date): Promise<boolean> =>
    (
      await db
        .update(keys)
        .set({ answer, expiresAt })
        .where(
          and(eq(keys.scopeId, key.scopeId), eq(keys.route, key.route), eq(keys.key, key.key), eq(keys.holder, holder)),
        )
        .returning({ key: keys.key })
    ).length > 0,
  /** Forgets up to `limit` that expired, of all tenants; answers how many. */
  sweepOfAll: async (now: Date, limit: number): Promise<number> => {
    const expired = await db
      .select({
        scopeId: keys.scopeId,
        route: keys.route,
        key: keys.key,
      })
      .from(keys)
      .where(lte(keys.expiresAt, now))
      .orderBy(asc(keys.expiresAt))
      .limit(limit);
    if (expired.length === 0) return 0;
    const these = expired.map((row) =>
      and(eq(keys.scopeId, row.scopeId), eq(keys.route, row.route), eq(keys.key, row.key)),
    );
    // Expired still: a request may have taken one over since.
    await db.delete(keys).where(and(or(...these), lte(keys.expiresAt, now)));
    return expired.length;
  },
});
