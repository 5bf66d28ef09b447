import { and, asc, eq, lte, or, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { IdempotencyTables } from './tables.ts';

type Key = Pick<IdempotencyTables['idempotencyKeys']['$inferSelect'], 'scopeId' | 'route' | 'key'>;

/** Stored requests, for maintenance and transactions of other modules. */
export const idempotencyStore = ({
  db,
  tables: { idempotencyKeys: keys },
}: Pick<StoreContext<IdempotencyTables>, 'db' | 'tables'>) => ({
  /** False if another request holds the key. */
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
  /** Keys of a scope in order, after one of them; the answer is null while the request runs. */
  answersAfter: (
    scope: InScope,
    after: Pick<Key, 'route' | 'key'> | null,
    limit: number,
  ): Promise<(Key & { answer: string | null })[]> =>
    db
      .select({ scopeId: keys.scopeId, route: keys.route, key: keys.key, answer: keys.answer })
      .from(keys)
      .where(
        and(
          eq(keys.scopeId, scope.scopeId),
          after === null ? undefined : sql`(${keys.route}, ${keys.key}) > (${after.route}, ${after.key})`,
        ),
      )
      .orderBy(asc(keys.route), asc(keys.key))
      .limit(limit),
  forget: async ({ scopeId, route, key }: Key): Promise<void> => {
    await db.delete(keys).where(and(eq(keys.scopeId, scopeId), eq(keys.route, route), eq(keys.key, key)));
  },
  /** Deletes up to `limit` expired rows of all tenants; returns how many. */
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
    // Checked again, since a request may have reused the row.
    await db.delete(keys).where(and(or(...these), lte(keys.expiresAt, now)));
    return expired.length;
  },
});
