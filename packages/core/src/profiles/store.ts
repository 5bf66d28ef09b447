import { and, eq, gt, inArray, isNotNull, like } from 'drizzle-orm';
import type { InScope } from '../primitives/scope.ts';
import type { StoreContext } from '../storage/context.ts';
import type { ProfileTables } from './tables.ts';

export type ProfileRow = ProfileTables['profiles']['$inferSelect'];
export type AliasRow = ProfileTables['aliases']['$inferSelect'];

/** Cold reads and the moves of maintenance. */
export const profileStore = ({ db, tables: { profiles, aliases } }: StoreContext<ProfileTables>) => ({
  /** Identified users in the order of their ids, after `after`; `person` asks for one of them. */
  listUsers: (scope: InScope, limit: number, after?: string, person?: string): Promise<ProfileRow[]> =>
    db
      .select()
      .from(profiles)
      .where(
        and(
          eq(profiles.scopeId, scope.scopeId),
          person === undefined ? undefined : eq(profiles.person, person),
          after === undefined
            ? like(profiles.person, 'u:%')
            : and(like(profiles.person, 'u:%'), gt(profiles.person, after)),
        ),
      )
      .orderBy(profiles.person)
      .limit(limit),
  /** Everybody anonymous who turned out to be this user. */
  anonymousIdsOf: async (scope: InScope, userId: string): Promise<string[]> => {
    const rows = await db
      .select({ anonymousId: aliases.anonymousId })
      .from(aliases)
      .where(and(eq(aliases.scopeId, scope.scopeId), eq(aliases.userId, userId), isNotNull(aliases.moveDueAt)));
    return rows.map(({ anonymousId }) => anonymousId);
  },
  /** Aliases of every scope whose older events still stand under the anonymous person. */
  movingOfAll: (limit: number): Promise<AliasRow[]> =>
    db.select().from(aliases).where(isNotNull(aliases.moveDueAt)).orderBy(aliases.moveDueAt).limit(limit),
  /** Everybody anonymous who ever turned out to be this user. */
  everyAnonymousIdOf: async (scope: InScope, userId: string): Promise<string[]> =>
    (
      await db
        .select({ anonymousId: aliases.anonymousId })
        .from(aliases)
        .where(and(eq(aliases.scopeId, scope.scopeId), eq(aliases.userId, userId)))
    ).map(({ anonymousId }) => anonymousId),
  /** Answers how many of these people had a profile. */
  erase: async (scope: InScope, people: readonly string[]): Promise<number> =>
    (
      await db
        .delete(profiles)
        .where(and(eq(profiles.scopeId, scope.scopeId), inArray(profiles.person, [...people])))
        .returning({ person: profiles.person })
    ).length,
  eraseAliases: async (scope: InScope, userId: string): Promise<number> =>
    (
      await db
        .delete(aliases)
        .where(and(eq(aliases.scopeId, scope.scopeId), eq(aliases.userId, userId)))
        .returning({ userId: aliases.userId })
    ).length,
  moved: async (alias: AliasRow): Promise<void> => {
    await db
      .update(aliases)
      .set({ moveDueAt: null })
      .where(and(eq(aliases.scopeId, alias.scopeId), eq(aliases.anonymousId, alias.anonymousId)));
  },
});
