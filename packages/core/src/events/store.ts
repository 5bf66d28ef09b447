import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { InScope } from '../primitives/scope.ts';
import type { StoreContext } from '../storage/context.ts';
import { personKey } from './person-key.ts';
import type { EventTables } from './tables.ts';

export type EventRow = EventTables['events']['$inferSelect'];

export type MessageIdRow = EventTables['eventMessageIds']['$inferSelect'];

/** Cold reads and the moves of maintenance. */
export const eventStore = ({ db, tables: { events, eventMessageIds } }: StoreContext<EventTables>) => {
  const of = (scope: InScope, people: readonly string[]) =>
    and(
      inArray(
        events.personKey,
        people.map((person) => personKey(scope, person)),
      ),
      eq(events.scopeId, scope.scopeId),
      inArray(events.person, [...people]),
    );
  return {
    /** Events of any of these people, newest first, older than the one at position `before`. */
    listOf: (scope: InScope, people: readonly string[], limit: number, before?: number): Promise<EventRow[]> =>
      db
        .select()
        .from(events)
        .where(and(of(scope, people), before === undefined ? undefined : lt(events.position, before)))
        .orderBy(desc(events.position))
        .limit(limit),
    /** Those of these ids that are there. */
    idsAmong: async (scope: InScope, ids: readonly string[]): Promise<string[]> =>
      (
        await db
          .select({ id: events.id })
          .from(events)
          .where(and(eq(events.scopeId, scope.scopeId), inArray(events.id, [...ids])))
      ).map(({ id }) => id),
    /** Gives up to `limit` events of one person to another; answers how many there were. */
    move: async (scope: InScope, from: string, to: string, limit: number): Promise<number> => {
      const due = db
        .select({ position: events.position })
        .from(events)
        .where(of(scope, [from]))
        .limit(limit);
      const moved = await db
        .update(events)
        .set({ person: to, personKey: personKey(scope, to) })
        .where(inArray(events.position, due))
        .returning({ position: events.position });
      return moved.length;
    },
    /** Up to `limit` message ids of every scope, in the order of their keys, after one of them. */
    messageIdsOfAll: (
      after: Pick<MessageIdRow, 'scopeId' | 'messageId'> | null,
      limit: number,
    ): Promise<MessageIdRow[]> =>
      db
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
