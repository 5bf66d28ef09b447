import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import type { InScope } from '../primitives/scope.ts';
import type { StoreContext } from '../storage/context.ts';
import type { EventTables } from './tables.ts';

export type EventRow = EventTables['events']['$inferSelect'];

export type MessageIdRow = EventTables['eventMessageIds']['$inferSelect'];

/** Cold reads and the moves of maintenance. */
export const eventStore = ({ db, tables: { events, eventMessageIds } }: StoreContext<EventTables>) => {
  const within = (scope: InScope) => and(eq(events.scopeId, scope.scopeId));
  return {
    /** Events of any of these people, newest first, older than `before`. */
    listOf: (scope: InScope, people: readonly string[], limit: number, before?: string): Promise<EventRow[]> =>
      db
        .select()
        .from(events)
        .where(
          and(
            within(scope),
            inArray(events.person, [...people]),
            before === undefined ? undefined : lt(events.id, before),
          ),
        )
        .orderBy(desc(events.id))
        .limit(limit),
    /** Gives up to `limit` events of one person to another; answers how many there were. */
    move: async (scope: InScope, from: string, to: string, limit: number): Promise<number> => {
      const due = db
        .select({ id: events.id })
        .from(events)
        .where(and(within(scope), eq(events.person, from)))
        .limit(limit);
      const moved = await db
        .update(events)
        .set({ person: to })
        .where(and(within(scope), eq(events.person, from), inArray(events.id, due)))
        .returning({ id: events.id });
      return moved.length;
    },
    /** Up to `limit` message ids of every scope that were received before `before`, oldest first. */
    oldMessageIdsOfAll: (before: Date, limit: number): Promise<MessageIdRow[]> =>
      db
        .select()
        .from(eventMessageIds)
        .where(lt(eventMessageIds.receivedAt, before))
        .orderBy(eventMessageIds.receivedAt)
        .limit(limit),
  };
};
