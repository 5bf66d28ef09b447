import { and, count, desc, eq, gt, inArray, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { PushTables } from './tables.ts';

export type TokenRow = PushTables['pushTokens']['$inferSelect'];
/** The token columns that sending reads. */
export type SendableRow = Pick<TokenRow, 'scopeId' | 'id' | 'person' | 'platform' | 'token' | 'apnsEnvironment'>;

/** Cold reads and writes of tokens; registration and the frequent reads of sending are in statements.ts. */
export const pushStore = ({
  db,
  tables: { pushTokens: t, tokenOwners: owners },
}: Pick<StoreContext<PushTables>, 'db' | 'tables'>) => {
  const within = (scope: InScope): SQL[] => [eq(t.scopeId, scope.scopeId)];
  return {
    /** Tokens of a user, including inactive ones, newest first. */
    ofPerson: (scope: InScope, person: string, limit: number): Promise<TokenRow[]> =>
      db
        .select()
        .from(t)
        .where(and(...within(scope), eq(t.person, person)))
        .orderBy(desc(t.id))
        .limit(limit),
    get: async (scope: InScope, id: string): Promise<TokenRow | undefined> =>
      (
        await db
          .select()
          .from(t)
          .where(and(...within(scope), eq(t.id, id)))
      ).at(0),
    /** Active tokens of a user in id order, after one of them. */
    activeAfter: (scope: InScope, person: string, after: string | null, limit: number): Promise<SendableRow[]> =>
      db
        .select({
          scopeId: t.scopeId,
          id: t.id,
          person: t.person,
          platform: t.platform,
          token: t.token,
          apnsEnvironment: t.apnsEnvironment,
        })
        .from(t)
        .where(
          and(
            ...within(scope),
            eq(t.person, person),
            eq(t.isActive, true),
            after === null ? undefined : gt(t.id, after),
          ),
        )
        .orderBy(t.id)
        .limit(limit),
    /** The users, among these, with inactive tokens. */
    withInactive: async (scope: InScope, people: readonly string[]): Promise<string[]> => {
      const rows = await db
        .select({ person: t.person })
        .from(t)
        .where(and(...within(scope), inArray(t.person, [...people]), eq(t.isActive, false)))
        .groupBy(t.person);
      return rows.flatMap(({ person }) => (person === null ? [] : [person]));
    },
    /** Number of active tokens by user and platform. */
    counts: (scope: InScope, people: readonly string[]) =>
      db
        .select({ person: t.person, platform: t.platform, tokens: count() })
        .from(t)
        .where(and(...within(scope), inArray(t.person, [...people]), eq(t.isActive, true)))
        .groupBy(t.person, t.platform),
    /**
     * Deletes up to `limit` devices of these users, in a transaction; returns the number it visited. Owner rows are
     * locked first, as in a registration, which waits for them. A device that now belongs to another user stays.
     */
    erase: async (scope: InScope, people: readonly string[], limit: number): Promise<number> => {
      const areTheirs = and(...within(scope), inArray(t.person, [...people]));
      const found = await db
        .select({ id: t.id, tokenKey: t.tokenKey })
        .from(t)
        .where(areTheirs)
        .orderBy(t.tokenKey)
        .limit(limit);
      if (found.length === 0) return 0;
      const keys = found.map(({ tokenKey }) => tokenKey);
      await db.delete(owners).where(and(eq(owners.scopeId, scope.scopeId), inArray(owners.tokenKey, keys)));
      const ids = found.map(({ id }) => id);
      await db.delete(t).where(and(areTheirs, inArray(t.id, ids)));
      const left = await db
        .select({ scopeId: t.scopeId, id: t.id, tokenKey: t.tokenKey })
        .from(t)
        .where(and(...within(scope), inArray(t.id, ids)));
      if (left.length > 0) await db.insert(owners).values(left).onConflictDoNothing();
      return found.length;
    },
    /** The updated row; undefined: none in this scope. */
    deactivate: async (scope: InScope, id: string, now: Date): Promise<TokenRow | undefined> =>
      (
        await db
          .update(t)
          .set({ isActive: false, updatedAt: now })
          .where(and(...within(scope), eq(t.id, id)))
          .returning()
      ).at(0),
  };
};
