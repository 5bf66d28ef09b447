import { and, eq, gt, gte, inArray, isNotNull, like, lt, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { PageStart, TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ProfileTables } from './tables.ts';

export type ProfileRow = ProfileTables['profiles']['$inferSelect'];
export type AliasRow = ProfileTables['aliases']['$inferSelect'];

const matching = (
  profiles: ProfileTables['profiles'],
  scope: InScope,
  { person, fromMs, toMs }: UserFilter,
): SQL | undefined =>
  and(
    eq(profiles.scopeId, scope.scopeId),
    like(profiles.person, 'u:%'),
    person === undefined ? undefined : eq(profiles.person, person),
    fromMs === null ? undefined : gte(profiles.createdAt, new Date(fromMs)),
    toMs === null ? undefined : lt(profiles.createdAt, new Date(toMs)),
  );

/** Filter of a list of users: time of the first event, or one user. */
export type UserFilter = TimeRange & { readonly person: string | undefined };

/** Infrequent reads, and the moves of maintenance. */
export const profileStore = ({ db, tables: { profiles, aliases } }: StoreContext<ProfileTables>) => ({
  /** Identified users ordered by id. */
  listUsers: (scope: InScope, filter: UserFilter, { after, limit }: PageStart): Promise<ProfileRow[]> =>
    db
      .select()
      .from(profiles)
      .where(
        after === null
          ? matching(profiles, scope, filter)
          : and(matching(profiles, scope, filter), gt(profiles.person, after)),
      )
      .orderBy(profiles.person)
      .limit(limit),
  /** Which of these profiles exist. */
  among: async ({ scopeId }: InScope, people: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await db
      .select({ person: profiles.person })
      .from(profiles)
      .where(and(eq(profiles.scopeId, scopeId), inArray(profiles.person, [...people])));
    return new Set(rows.map(({ person }) => person));
  },
  countUsers: async (scope: InScope, filter: UserFilter): Promise<number> => {
    const [row] = await db
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(profiles)
      .where(matching(profiles, scope, filter));
    return row?.count ?? 0;
  },
  /** Anonymous ids merged into this user whose older events have not moved yet. */
  anonymousIdsOf: async (scope: InScope, userId: string): Promise<string[]> => {
    const rows = await db
      .select({ anonymousId: aliases.anonymousId })
      .from(aliases)
      .where(and(eq(aliases.scopeId, scope.scopeId), eq(aliases.userId, userId), isNotNull(aliases.moveDueAt)));
    return rows.map(({ anonymousId }) => anonymousId);
  },
  /** Aliases of these users whose older events have not moved yet. */
  movingTo: (scope: InScope, userIds: readonly string[]): Promise<Pick<AliasRow, 'anonymousId' | 'userId'>[]> =>
    db
      .select({ anonymousId: aliases.anonymousId, userId: aliases.userId })
      .from(aliases)
      .where(
        and(eq(aliases.scopeId, scope.scopeId), inArray(aliases.userId, [...userIds]), isNotNull(aliases.moveDueAt)),
      ),
  /** Aliases of all scopes whose older events have not moved yet. */
  movingOfAll: (limit: number): Promise<AliasRow[]> =>
    db.select().from(aliases).where(isNotNull(aliases.moveDueAt)).orderBy(aliases.moveDueAt).limit(limit),
  /** All anonymous ids that were ever merged into this user. */
  everyAnonymousIdOf: async (scope: InScope, userId: string): Promise<string[]> =>
    (
      await db
        .select({ anonymousId: aliases.anonymousId })
        .from(aliases)
        .where(and(eq(aliases.scopeId, scope.scopeId), eq(aliases.userId, userId)))
    ).map(({ anonymousId }) => anonymousId),
  /** Returns how many profiles were deleted. */
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
