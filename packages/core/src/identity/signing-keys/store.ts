import { and, asc, count, eq, gt, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { KeyTransition } from './key-states.ts';
import type { SigningKeyTables } from './tables.ts';

export type SigningKeyRow = SigningKeyTables['authSigningKeys']['$inferSelect'];

/** Signing keys as they are created and rotated. */
export const signingKeyStore = ({
  db,
  tables: { authSigningKeys: keys },
}: Pick<StoreContext<SigningKeyTables>, 'db' | 'tables'>) => ({
  ofScope: ({ scopeId }: InScope): Promise<SigningKeyRow[]> =>
    db.select().from(keys).where(eq(keys.scopeId, scopeId)).orderBy(asc(keys.createdAt), asc(keys.kid)),
  /** Does nothing if another process has created a key in this state. */
  add: async (row: SigningKeyRow): Promise<void> => {
    await db.insert(keys).values(row).onConflictDoNothing();
  },
  /** Guarded by the former state: of two processes, one changes the key. */
  change: async ({ scopeId }: InScope, { kid, from, to, activateAtMs, retireAtMs }: KeyTransition): Promise<void> => {
    const values = {
      ...{ state: to, activateAt: new Date(activateAtMs) },
      retireAt: retireAtMs === null ? null : new Date(retireAtMs),
    };
    await db
      .update(keys)
      .set(values)
      .where(and(eq(keys.scopeId, scopeId), eq(keys.kid, kid), eq(keys.state, from)));
  },
  /** Environments with keys, by id. `after`: an id; null: from the first. */
  scopesOfAll: async (after: number | null, limit: number): Promise<number[]> => {
    const rows = await db
      .select({ scopeId: keys.scopeId })
      .from(keys)
      .where(after === null ? undefined : gt(keys.scopeId, after))
      .groupBy(keys.scopeId)
      .orderBy(asc(keys.scopeId))
      .limit(limit);
    return rows.map(({ scopeId }) => scopeId);
  },
  countOfAll: async (): Promise<number> => (await db.select({ count: count() }).from(keys))[0]?.count ?? 0,
  pageOfAll: (after: { readonly scopeId: number; readonly kid: string } | null, limit: number) =>
    db
      .select({ scopeId: keys.scopeId, kid: keys.kid, sealed: keys.sealed })
      .from(keys)
      .where(
        after === null
          ? undefined
          : or(gt(keys.scopeId, after.scopeId), and(eq(keys.scopeId, after.scopeId), gt(keys.kid, after.kid))),
      )
      .orderBy(asc(keys.scopeId), asc(keys.kid))
      .limit(limit),
  reseal: async (key: { readonly scopeId: number; readonly kid: string }, from: string, to: string): Promise<void> => {
    await db
      .update(keys)
      .set({ sealed: to })
      .where(and(eq(keys.scopeId, key.scopeId), eq(keys.kid, key.kid), eq(keys.sealed, from)));
  },
});
