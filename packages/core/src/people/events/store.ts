import { and, asc, desc, eq, gt, gte, inArray, lt, lte, sql } from 'drizzle-orm';
import type { Storage } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import { type EventRow, peopleIndex } from './people/store.ts';
import type { EventTables } from './tables.ts';

export type { EventRow } from './people/store.ts';

export type MessageIdRow = EventTables['eventMessageIds']['$inferSelect'];

/** Infrequent reads, and the moves of maintenance. */
export const eventStore = ({ storage, tables }: { storage: Storage; tables: EventTables }) => {
  const { events, eventMessageIds, raisedEvents } = tables;
  return {
    ...peopleIndex({ storage, tables }),
    /** Which of these ids exist. */
    idsAmong: async (scope: InScope, ids: readonly string[]): Promise<string[]> =>
      (
        await storage.db
          .select({ id: events.id })
          .from(events)
          .where(and(eq(events.scopeId, scope.scopeId), inArray(events.id, [...ids])))
      ).map(({ id }) => id),
    /** Deletes raised events of these profiles. The queue is short and has no index on profiles. */
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
    /** Newest first by id; ids below `below` and not below `notBelow`, if set. */
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
    /** The last of the next `limit` ids after `after`; null if there is none. */
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
    /** Events with one of these names and ids in (after, upTo]. */
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
    /** True if the event is raised and no worker has processed it. */
    isWaiting: async (scope: InScope, id: string): Promise<boolean> =>
      (
        await storage.db
          .select({ id: raisedEvents.id })
          .from(raisedEvents)
          .where(and(eq(raisedEvents.scopeId, scope.scopeId), eq(raisedEvents.id, id)))
      ).length > 0,
    /** Up to `limit` message ids of all scopes, in key order, after `after`. */
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
