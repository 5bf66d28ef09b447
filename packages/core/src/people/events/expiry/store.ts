import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { lowerMarks } from '../followed/store.ts';
import type { EventTables } from '../tables.ts';

/**
 * Deletes up to `limit` events of a scope with ids below `below`, and returns how many. Message ids expire separately.
 */
export type ExpireEvents = (scope: InScope, below: string, limit: number) => Promise<number>;

/** Deletes events after their retention time. Throws database errors. */
export const eventExpiry = ({ storage, tables }: { storage: Storage; tables: EventTables }): ExpireEvents => {
  const { events, eventsByPerson } = tables;
  const found = (db: Storage['db'], { scopeId }: InScope, below: string, limit: number) =>
    db
      .select({ position: events.position, personKey: events.personKey })
      .from(events)
      .where(and(eq(events.scopeId, scopeId), lt(events.id, below)))
      .orderBy(asc(events.id))
      .limit(limit);

  if (storage.dialect.name === 'postgres')
    return async (scope, below, limit) => {
      const rows = await found(storage.db, scope, below, limit);
      if (rows.length === 0) return 0;
      const positions = rows.map(({ position }) => position);
      await storage.db
        .delete(events)
        .where(and(eq(events.scopeId, scope.scopeId), inArray(events.position, positions)));
      return rows.length;
    };
  return async (scope, below, limit) => {
    // Usually nothing has expired, and a transaction would block ingest.
    if ((await found(storage.db, scope, below, 1)).length === 0) return 0;
    return storage.transaction(async (db) => {
      const rows = await found(db, scope, below, limit);
      const positions = JSON.stringify(rows.map(({ position }) => position));
      const entries = JSON.stringify(rows.map(({ personKey, position }) => [personKey, position]));
      await db.delete(events).where(sql`${events.position} in (select value from json_each(${positions}))`);
      await db
        .delete(eventsByPerson)
        .where(
          sql`(${eventsByPerson.personKey}, ${eventsByPerson.position}) in (select value ->> 0, value ->> 1 from json_each(${entries}))`,
        );
      await lowerMarks(db, tables);
      return rows.length;
    });
  };
};
