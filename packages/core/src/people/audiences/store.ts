import { and, asc, count, desc, eq, gt, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import { lockName } from '../../database/statements/capped.ts';
import type { PageStart } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AudienceKind } from './schema.ts';
import type { AudienceRow, AudienceTables, MemberRow } from './tables.ts';

/** Filter of the audience list; null: any. */
export type AudienceFilter = {
  readonly name: string | null;
  readonly kind: AudienceKind | null;
  readonly isReady: boolean | null;
};
type Changes = Partial<Omit<AudienceRow, 'scopeId' | 'id'>>;

/** Infrequent writes and reads of audiences and members. */
export const audienceStore = ({
  db,
  dialect,
  tables: { audiences: t, audienceMembers: members, audienceChecks: checks },
}: StoreContext<AudienceTables>) => {
  const isThere = or(isNull(t.stage), ne(t.stage, 'remove'));
  const one = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id), isThere);
  const listed = ({ scopeId }: InScope, { name, kind, isReady }: AudienceFilter) => {
    const isComputing = eq(t.stage, 'build');
    return and(
      eq(t.scopeId, scopeId),
      isThere,
      name === null ? undefined : eq(t.name, name),
      kind === null ? undefined : eq(t.kind, kind),
      isReady === null ? undefined : isReady ? or(isNull(t.stage), ne(t.stage, 'build')) : isComputing,
    );
  };
  const inAudience = ({ scopeId }: InScope, id: string) =>
    and(eq(members.scopeId, scopeId), eq(members.audienceId, id));

  return {
    /** Allows one transaction at a time to change a scope's audiences; every writer must call it first. */
    async lock({ scopeId }: InScope): Promise<void> {
      await lockName(db, dialect, `audiences/${scopeId}`);
    },
    async insert(row: AudienceRow): Promise<void> {
      await db.insert(t).values(row);
    },
    get: async (scope: InScope, id: string): Promise<AudienceRow | undefined> =>
      (await db.select().from(t).where(one(scope, id))).at(0),
    /** All audiences of a scope. */
    all: async (scope: InScope): Promise<AudienceRow[]> =>
      db
        .select()
        .from(t)
        .where(and(eq(t.scopeId, scope.scopeId), isThere)),
    /** Newest first. */
    page: (scope: InScope, filter: AudienceFilter, { after, limit }: PageStart): Promise<AudienceRow[]> =>
      db
        .select()
        .from(t)
        .where(and(listed(scope, filter), after === null ? undefined : lt(t.id, after)))
        .orderBy(desc(t.id))
        .limit(limit),
    count: async (scope: InScope, filter: AudienceFilter): Promise<number> =>
      (await db.select({ rows: count() }).from(t).where(listed(scope, filter))).at(0)?.rows ?? 0,
    /** `isAnew` increments the fence, so that a running build loses its lease. */
    async update(scope: InScope, ids: readonly string[], changes: Changes, isAnew: boolean): Promise<void> {
      if (ids.length === 0) return;
      await db
        .update(t)
        .set({ ...changes, ...(isAnew ? { fence: sql`${t.fence} + 1` } : {}) })
        .where(and(eq(t.scopeId, scope.scopeId), inArray(t.id, [...ids])));
    },
    /** Deletes a removed audience without members. */
    async drop({ scopeId, id, fence }: Pick<AudienceRow, 'scopeId' | 'id' | 'fence'>): Promise<void> {
      await db.delete(t).where(and(eq(t.scopeId, scopeId), eq(t.id, id), eq(t.fence, fence), eq(t.stage, 'remove')));
    },

    memberCount: async (scope: InScope, id: string, person: string | null = null): Promise<number> =>
      (
        await db
          .select({ rows: count() })
          .from(members)
          .where(and(inAudience(scope, id), person === null ? undefined : eq(members.person, person)))
      ).at(0)?.rows ?? 0,
    /** Ordered by user. */
    members: (
      scope: InScope,
      id: string,
      { person, after, limit }: PageStart & { readonly person: string | null },
    ): Promise<MemberRow[]> =>
      db
        .select()
        .from(members)
        .where(
          and(
            inAudience(scope, id),
            person === null ? undefined : eq(members.person, person),
            after === null ? undefined : gt(members.person, after),
          ),
        )
        .orderBy(asc(members.person))
        .limit(limit),
    /** Audiences of a user, newest first: a page, or all of them without a start. */
    ofPerson: async (
      { scopeId }: InScope,
      person: string,
      start?: PageStart,
    ): Promise<Pick<AudienceRow, 'id' | 'name'>[]> => {
      const rows = db
        .select({ id: t.id, name: t.name })
        .from(members)
        .innerJoin(t, and(eq(t.scopeId, members.scopeId), eq(t.id, members.audienceId)))
        .where(
          and(
            eq(members.scopeId, scopeId),
            eq(members.person, person),
            isThere,
            start?.after ? lt(t.id, start.after) : undefined,
          ),
        )
        .orderBy(desc(t.id));
      return start === undefined ? rows : rows.limit(start.limit);
    },
    /** Deletes up to `limit` members of a removed audience; returns how many. */
    async empty(scope: InScope, id: string, limit: number): Promise<number> {
      const some = db.select({ person: members.person }).from(members).where(inAudience(scope, id)).limit(limit);
      const deleted = await db
        .delete(members)
        .where(and(inAudience(scope, id), inArray(members.person, some)))
        .returning({ person: members.person });
      return deleted.length;
    },
    /** Returns how many rows were deleted. */
    async erase({ scopeId }: InScope, people: readonly string[]): Promise<number> {
      const personIds = [...people];
      const deletedMembers = await db
        .delete(members)
        .where(and(eq(members.scopeId, scopeId), inArray(members.person, personIds)))
        .returning({ person: members.person });
      const deletedChecks = await db
        .delete(checks)
        .where(and(eq(checks.scopeId, scopeId), inArray(checks.id, personIds)))
        .returning({ id: checks.id });
      return deletedMembers.length + deletedChecks.length;
    },
  };
};

export type AudienceStore = ReturnType<typeof audienceStore>;
