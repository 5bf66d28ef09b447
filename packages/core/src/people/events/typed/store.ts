import { and, eq, gt, lt, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';

/** Whoever did something of that name. */
export type EventTally = { readonly person: string; readonly total: number; readonly lastAt: Date };
/** An event of a name that is known. */
export type TypedEvent = Pick<EventTables['events']['$inferSelect'], 'position' | 'timestamp' | 'properties'>;
/** A page of them; `since`: younger than that; `before`: those behind this one. */
export type TypedPage = {
  readonly limit: number;
  readonly since?: Date | undefined;
  readonly before?: Pick<TypedEvent, 'position' | 'timestamp'> | undefined;
};

/** Of one name, and taken through the reactions: what the service raised itself is counted as a worker takes it. */
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

/** Younger than `since`, and behind `before`. Throws nothing. */
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

/** How often somebody did it, and when last. Throws nothing. */
export const tallyFields = (events: EventTables['events']) => ({
  person: events.person,
  total: sql<number>`count(*)`.mapWith(Number),
  lastAt: sql<Date>`max(${events.timestamp})`.mapWith(events.timestamp),
});
/** What is looked at of single events. Throws nothing. */
export const typedFields = ({ position, timestamp, properties }: EventTables['events']) => ({
  position,
  timestamp,
  properties,
});

/** By their own times, and those of one time by when they were written. Throws nothing. */
export const newestFirst = (a: TypedEvent, b: TypedEvent): number =>
  b.timestamp.getTime() - a.timestamp.getTime() || b.position - a.position;
