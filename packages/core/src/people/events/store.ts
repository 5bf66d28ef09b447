import { and, asc, desc, eq, gt, gte, inArray, lt, lte, sql } from 'drizzle-orm';
import type { Storage } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import { type EventRow, peopleIndex } from './people/store.ts';
import type { EventTables } from './tables.ts';

export type { EventRow } from './people/store.ts';

export type MessageIdRow = EventTables['eventMessageIds']['$inferSelect'];

/** Cold reads and the moves of maintenance. */
export const eventStore = ({ storage, tables }: { storage: Storage; tables: EventTables }) => {
  const { events, eventMessageIds, raisedEvents } = tables;
  return {
    ...peopleIndex({ storage, tables }),
    /** Those of these ids that are there. */
    idsAmong: async (scope: InScope, ids: readonly string[]): Promise<string[]> =>
      (
        await storage.db
          .select({ id: events.id })
          .from(events)
          .where(and(eq(events.scopeId, scope.scopeId), inArray(events.id, [...ids])))
      ).map(({ id }) => id),
    /** What waits for a worker about these people; the queue is short, and has no index over them. */
    eraseRaised: async (scope: InScope, people: readonly string[]): Promise<number> =>
      (
        await storage.db
          .delete(raisedEvents)
          .where(and(eq(raisedEvents.scopeId, scope.scopeId), inArray(raisedEvents.person, [...people])))
          .returning({ id: raisedEvents.id })
      ).length,
    get: async (scope: InScope, id: string): Promise<EventRow | undefined> => {
      const [row] = await storage.db
        .select()
        .from(events)
        .where(and(eq(events.scopeId, scope.scopeId), eq(events.id, id)));
      return row;
    },
    /** Newest first, by their ids: below one and not below the other, where they are given. */
    page: (scope: InScope, limit: number, below?: string, notBelow?: string): Promise<EventRow[]> =>
      storage.db
        .select()
        .from(events)
        .where(
          and(
            eq(events.scopeId, scope.scopeId),
            below === undefined ? undefined : lt(events.id, below),
            notBelow === undefined ? undefined : gte(events.id, notBelow),
          ),
        )
        .orderBy(desc(events.id))
        .limit(limit),
    /** The last of the next `limit` ids after one; null: there are none. */
    endOfSlice: async (scope: InScope, after: string, limit: number): Promise<string | null> => {
      const slice = storage.db
        .select({ id: events.id })
        .from(events)
        .where(and(eq(events.scopeId, scope.scopeId), gt(events.id, after)))
        .orderBy(asc(events.id))
        .limit(limit)
        .as('slice');
      const [last] = await storage.db.select({ id: slice.id }).from(slice).orderBy(desc(slice.id)).limit(1);
      return last?.id ?? null;
    },
    /** Of these names, with ids after one and up to another. */
    namedBetween: (
      scope: InScope,
      names: readonly string[],
      after: string,
      upTo: string,
    ): Promise<Pick<EventRow, 'personKey' | 'eventType' | 'timestamp'>[]> =>
      storage.db
        .select({ personKey: events.personKey, eventType: events.eventType, timestamp: events.timestamp })
        .from(events)
        .where(
          and(
            eq(events.scopeId, scope.scopeId),
            gt(events.id, after),
            lte(events.id, upTo),
            inArray(events.eventType, [...names]),
          ),
        ),
    /** Whether it is raised, and no worker has taken it yet. */
    isWaiting: async (scope: InScope, id: string): Promise<boolean> =>
      (
        await storage.db
          .select({ id: raisedEvents.id })
          .from(raisedEvents)
          .where(and(eq(raisedEvents.scopeId, scope.scopeId), eq(raisedEvents.id, id)))
      ).length > 0,
    /** Up to `limit` message ids of every scope, in the order of their keys, after one of them. */
    messageIdsOfAll: (
      after: Pick<MessageIdRow, 'scopeId' | 'messageId'> | null,
      limit: number,
    ): Promise<MessageIdRow[]> =>
      storage.db
        .select()
        .from(eventMessageIds)
        .where(
          after === null
            ? undefined
            : sql`(${eventMessageIds.scopeId}, ${eventMessageIds.messageId}) > (${after.scopeId}, ${sql.param(after.messageId, eventMessageIds.messageId)})`,
        )
        .orderBy(asc(eventMessageIds.scopeId), asc(eventMessageIds.messageId))
        .limit(limit),
  };
};

export type EventStore = ReturnType<typeof eventStore>;
