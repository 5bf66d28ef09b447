import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, or, type SQL } from 'drizzle-orm';
import type { Db } from '../../../database/storage.ts';
import type { PageStart } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { StoredPush } from './content.ts';
import type { ActivityStatus } from './schema.ts';
import type { LiveActivityRow, LiveActivityTables, StarterRow } from './tables.ts';

export type ActivityFilter = {
  readonly person?: string | undefined;
  readonly activityType?: string | undefined;
  readonly status?: ActivityStatus | undefined;
  /** An active row whose `staleAt` is before this is stale. */
  readonly now: Date;
};

/** Lists and registers activities; the statements of pushes and endings are in statements.ts. */
export const liveActivityStore = ({ db, tables }: { readonly db: Db; readonly tables: LiveActivityTables }) => {
  const {
    liveActivities: t,
    liveActivityStartTokens: starters,
    liveActivityPendingPushes: pending,
    liveActivityStarts: starts,
  } = tables;
  const named = ({ scopeId }: InScope, externalId: string): SQL | undefined =>
    and(eq(pending.scopeId, scopeId), eq(pending.externalId, externalId));
  /** The condition of a public status. */
  const standsAs = (status: ActivityStatus, now: Date): SQL | undefined => {
    if (status === 'stale') return and(eq(t.status, 'active'), lte(t.staleAt, now));
    if (status === 'active') return and(eq(t.status, status), or(isNull(t.staleAt), gt(t.staleAt, now)));
    return eq(t.status, status);
  };
  return {
    /** Newest first. */
    page: async (
      { scopeId }: InScope,
      { person, activityType, status, now }: ActivityFilter,
      { after, limit }: PageStart,
    ): Promise<LiveActivityRow[]> =>
      db
        .select()
        .from(t)
        .where(
          and(
            eq(t.scopeId, scopeId),
            person === undefined ? undefined : eq(t.person, person),
            activityType === undefined ? undefined : eq(t.activityType, activityType),
            status === undefined ? undefined : standsAs(status, now),
            after === null ? undefined : lt(t.id, after),
          ),
        )
        .orderBy(desc(t.id))
        .limit(limit),
    putStarter: async (row: StarterRow): Promise<void> => {
      const { person, apnsEnvironment, updatedAt } = row;
      await db
        .insert(starters)
        .values(row)
        .onConflictDoUpdate({
          target: [starters.scopeId, starters.token, starters.activityType],
          set: { person, apnsEnvironment, isActive: true, updatedAt },
        });
    },
    startersOf: async ({ scopeId }: InScope, people: readonly string[], activityType: string): Promise<StarterRow[]> =>
      db
        .select()
        .from(starters)
        .where(
          and(
            eq(starters.scopeId, scopeId),
            inArray(starters.person, [...people]),
            eq(starters.activityType, activityType),
            eq(starters.isActive, true),
          ),
        )
        .orderBy(asc(starters.id)),
    pending: async (scope: InScope, externalId: string): Promise<StoredPush | undefined> =>
      (await db.select({ push: pending.push }).from(pending).where(named(scope, externalId))).at(0)?.push,
    putPending: async ({ scopeId }: InScope, externalId: string, push: StoredPush, createdAt: Date): Promise<void> => {
      await db
        .insert(pending)
        .values({ scopeId, externalId, push, createdAt })
        .onConflictDoUpdate({ target: [pending.scopeId, pending.externalId], set: { push, createdAt } });
    },
    /** Takes the waiting push; concurrent callers get it once. */
    takePending: async (scope: InScope, externalId: string): Promise<StoredPush | undefined> =>
      (await db.delete(pending).where(named(scope, externalId)).returning({ push: pending.push })).at(0)?.push,
    /** True if Beckon started the activity within the last hours. */
    wasStarted: async ({ scopeId }: InScope, externalId: string): Promise<boolean> =>
      (
        await db
          .select({ at: starts.startedAt })
          .from(starts)
          .where(and(eq(starts.scopeId, scopeId), eq(starts.externalId, externalId)))
      ).length > 0,
    /** Deletes start marks from before a moment: activities that still run have their tokens. */
    sweepStarts: async (before: Date): Promise<void> => {
      await db.delete(starts).where(lt(starts.startedAt, before));
    },
    /** Applies a registration; the user and token of the activity may change. */
    adopt: async (
      { scopeId }: InScope,
      id: string,
      values: Pick<LiveActivityRow, 'person' | 'activityType' | 'device' | 'token'> &
        Partial<Pick<LiveActivityRow, 'apnsEnvironment' | 'status' | 'endedAt'>>,
    ): Promise<void> => {
      await db
        .update(t)
        .set(values)
        .where(and(eq(t.scopeId, scopeId), eq(t.id, id)));
    },
    /** Returns the number of deleted rows of these users. */
    erase: async ({ scopeId }: InScope, people: readonly string[]): Promise<number> => {
      const own = await db
        .delete(t)
        .where(and(eq(t.scopeId, scopeId), inArray(t.person, [...people])))
        .returning({ id: t.id });
      const tokens = await db
        .delete(starters)
        .where(and(eq(starters.scopeId, scopeId), inArray(starters.person, [...people])))
        .returning({ id: starters.id });
      return own.length + tokens.length;
    },
    /** Deletes pushes that waited since before a moment for a first token. */
    sweepPending: async (before: Date): Promise<void> => {
      await db.delete(pending).where(lt(pending.createdAt, before));
    },
    /** Ends activities that the system has ended; returns their number, at most `limit`. */
    endForgotten: async (before: Date, endedAt: Date, limit: number): Promise<number> => {
      const old = await db
        .select({ scopeId: t.scopeId, id: t.id })
        .from(t)
        .where(and(eq(t.status, 'active'), lt(t.lastUpdatedAt, before)))
        .limit(limit);
      for (const { scopeId, id } of old)
        await db
          .update(t)
          .set({ status: 'ended', endedAt })
          .where(and(eq(t.scopeId, scopeId), eq(t.id, id), eq(t.status, 'active'), lt(t.lastUpdatedAt, before)));
      return old.length;
    },
  };
};
