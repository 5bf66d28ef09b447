import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { CountedRow, CountingTables } from './tables.ts';

/** Which events are counted, and the progress of their backfill. */
export const countingStore = ({ storage, tables }: { storage: Pick<Storage, 'db'>; tables: CountingTables }) => {
  const { countedEvents, personEvents } = tables;
  const { db } = storage;
  const isOf = ({ scopeId }: InScope, eventType: string) =>
    and(eq(countedEvents.scopeId, scopeId), eq(countedEvents.eventType, eventType));
  return {
    ofScope: ({ scopeId }: InScope): Promise<CountedRow[]> =>
      db.select().from(countedEvents).where(eq(countedEvents.scopeId, scopeId)),
    /** Starts counting an event and its backfill; does nothing if the counter already keeps as many times. */
    begin: async ({ scopeId }: InScope, eventType: string, recentLimit: number, now: Date): Promise<void> => {
      const fresh = { recentLimit, countedSince: now, cursor: null, isBackfilled: false };
      await db
        .insert(countedEvents)
        .values({ scopeId, eventType, ...fresh, version: 1 })
        .onConflictDoUpdate({
          target: [countedEvents.scopeId, countedEvents.eventType],
          set: { ...fresh, version: sql`${countedEvents.version} + 1` },
          setWhere: lt(countedEvents.recentLimit, recentLimit),
        });
    },
    /** Does nothing if counting was restarted meanwhile. */
    advance: async (row: CountedRow, cursor: string | null): Promise<void> => {
      await db
        .update(countedEvents)
        .set(cursor === null ? { isBackfilled: true } : { cursor })
        .where(and(isOf(row, row.eventType), eq(countedEvents.version, row.version)));
    },
    forget: async ({ scopeId }: InScope, eventTypes: readonly string[]): Promise<void> => {
      await db
        .delete(countedEvents)
        .where(and(eq(countedEvents.scopeId, scopeId), inArray(countedEvents.eventType, [...eventTypes])));
    },
    /** Profiles of any kind in key order, after the given one. */
    peopleAfter: async ({ scopeId }: InScope, after: string | null, limit: number): Promise<string[]> =>
      (
        await db
          .select({ person: sql<string>`person` })
          .from(sql`profiles`)
          .where(sql`scope_id = ${scopeId} and person > ${after ?? ''}`)
          .orderBy(sql`person`)
          .limit(limit)
      ).map(({ person }) => person),
    /** Returns how many counters were deleted. */
    erase: async ({ scopeId }: InScope, people: readonly string[]): Promise<number> =>
      (
        await db
          .delete(personEvents)
          .where(and(eq(personEvents.scopeId, scopeId), inArray(personEvents.person, [...people])))
          .returning({ person: personEvents.person })
      ).length,
  };
};
