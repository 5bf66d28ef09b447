import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { CountedRow, CountingTables } from './tables.ts';

/** What is counted, and how far counting what lies back has come. */
export const countingStore = ({ storage, tables }: { storage: Pick<Storage, 'db'>; tables: CountingTables }) => {
  const { countedEvents, personEvents } = tables;
  const { db } = storage;
  const isOf = ({ scopeId }: InScope, eventType: string) =>
    and(eq(countedEvents.scopeId, scopeId), eq(countedEvents.eventType, eventType));
  return {
    ofScope: ({ scopeId }: InScope): Promise<CountedRow[]> =>
      db.select().from(countedEvents).where(eq(countedEvents.scopeId, scopeId)),
    /** Counts an event from now on, and what lies back anew; nothing where as many times are kept already. */
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
    /** Nothing where counting began anew meanwhile. */
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
    /** People of any kind in the order of their keys, after one. */
    peopleAfter: async ({ scopeId }: InScope, after: string | null, limit: number): Promise<string[]> =>
      (
        await db
          .select({ person: sql<string>`person` })
          .from(sql`profiles`)
          .where(sql`scope_id = ${scopeId} and person > ${after ?? ''}`)
          .orderBy(sql`person`)
          .limit(limit)
      ).map(({ person }) => person),
    /** Answers how many counters of these people there were. */
    erase: async ({ scopeId }: InScope, people: readonly string[]): Promise<number> =>
      (
        await db
          .delete(personEvents)
          .where(and(eq(personEvents.scopeId, scopeId), inArray(personEvents.person, [...people])))
          .returning({ person: personEvents.person })
      ).length,
  };
};
