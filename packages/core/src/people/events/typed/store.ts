import { and, eq, gt, lt, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';

/** Count and last time of one event name for one profile. */
export type EventTally = { readonly person: string; readonly total: number; readonly lastAt: Date };
/** An event of a known name. */
export type TypedEvent = Pick<EventTables['events']['$inferSelect'], 'position' | 'timestamp' | 'properties'>;
/** A page of such events; `since`: later than that time; `before`: older than that event. */
export type TypedPage = {
  readonly limit: number;
  readonly since?: Date | undefined;
  readonly before?: Pick<TypedEvent, 'position' | 'timestamp'> | undefined;
};

/**
 * Events of one name that have passed through the reactions: raised events count only after a worker processed them.
 */
export const areOfType = (db: Db, { events, raisedEvents }: EventTables, eventType: string): SQL | undefined =>
  and(
    eq(events.eventType, eventType),
    notExists(
      db
        .select({ id: raisedEvents.id })
        .from(raisedEvents)
        .where(and(eq(raisedEvents.scopeId, events.scopeId), eq(raisedEvents.id, events.id))),
    ),
  );

/** Later than `since` and older than `before`. Throws nothing. */
export const inPage = (events: EventTables['events'], { since, before }: TypedPage): SQL | undefined =>
  and(
    since === undefined ? undefined : gt(events.timestamp, since),
    before === undefined
      ? undefined
      : or(
          lt(events.timestamp, before.timestamp),
          and(eq(events.timestamp, before.timestamp), lt(events.position, before.position)),
        ),
  );

/** Columns of an EventTally. Throws nothing. */
export const tallyFields = (events: EventTables['events']) => ({
  person: events.person,
  total: sql<number>`count(*)`.mapWith(Number),
  lastAt: sql<Date>`max(${events.timestamp})`.mapWith(events.timestamp),
});
/** Columns of a TypedEvent. Throws nothing. */
export const typedFields = ({ position, timestamp, properties }: EventTables['events']) => ({
  position,
  timestamp,
  properties,
});

/** Sorts by timestamp, then by position, newest first. Throws nothing. */
export const newestFirst = (a: TypedEvent, b: TypedEvent): number =>
  b.timestamp.getTime() - a.timestamp.getTime() || b.position - a.position;
