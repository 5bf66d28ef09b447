// Reading the log behind the ingest, each event once, in slices, by a mark that moves in the transaction of what was made
// of them. On SQLite positions are given inside the one write transaction, so what lies before the last one is whole. On
// PostgreSQL a transaction may commit after one that has later positions. Whoever has a position holds the table's lock for
// writers until its end: the last position is read, then who holds that lock, and the stretch up to it is whole once all
// of them have ended.

import { and, asc, eq, gt, lte, max, sql } from 'drizzle-orm';
import type { Db, Storage } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';
import type { FollowedLog } from './followed.ts';

type Mark = EventTables['eventCursors']['$inferSelect'];

/**
 * For whoever deletes events on SQLite, which gives the positions of deleted last ones out again: nothing past the last
 * that is left has been read, nor is in the index over people.
 */
export const lowerMarks = async (
  db: Db,
  { events, eventCursors, eventsByPersonCursor }: EventTables,
): Promise<void> => {
  const [row] = await db.select({ last: max(events.position) }).from(events);
  const last = row?.last ?? 0;
  await db.update(eventCursors).set({ position: last }).where(gt(eventCursors.position, last));
  const { position, passEnd } = eventsByPersonCursor;
  await db
    .update(eventsByPersonCursor)
    .set({ position: sql`min(${position}, ${last})`, passEnd: sql`min(${passEnd}, ${last})` });
};

/** Follows the log of every scope. Throws nothing. */
export const followedLog = ({ storage, tables }: { storage: Storage; tables: EventTables }): FollowedLog => {
  const { events, eventCursors } = tables;
  const isSqlite = storage.dialect.name === 'sqlite';

  const lastOf = async (db: Db): Promise<number> => {
    const [row] = await db.select({ last: max(events.position) }).from(events);
    return row?.last ?? 0;
  };
  /** On PostgreSQL other processes wait here. */
  const markOf = async (db: Db, name: string): Promise<Mark> => {
    await db.insert(eventCursors).values({ name, position: 0 }).onConflictDoNothing();
    const [mark] = await db.update(eventCursors).set({ name }).where(eq(eventCursors.name, name)).returning();
    return mark ?? { name, position: 0, pendingPosition: null, openTransactions: null };
  };
  const put = async (db: Db, { name, ...mark }: Mark): Promise<void> => {
    await db.update(eventCursors).set(mark).where(eq(eventCursors.name, name));
  };
  /** Transactions of this database that write events, by names that are given once. */
  const writersOf = async (db: Db): Promise<string[]> => {
    const rows = await db
      .select({ name: sql<string>`virtualtransaction` })
      .from(sql`pg_locks`)
      .where(
        sql`locktype = 'relation' and mode = 'RowExclusiveLock' and granted and relation = 'events'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
      );
    return rows.map(({ name }) => name);
  };
  /** How far the log is whole; null: nobody knows yet. */
  const wholeTo = async (db: Db, mark: Mark, last: number): Promise<number | null> => {
    if (isSqlite) return lastOf(db);
    const writers = await writersOf(db);
    const isBegun = mark.pendingPosition !== null && mark.pendingPosition > mark.position;
    const open = isBegun ? (mark.openTransactions ?? []).filter((name) => writers.includes(name)) : writers;
    const until = isBegun ? (mark.pendingPosition ?? 0) : last;
    if (open.length === 0) return until;
    await put(db, { ...mark, pendingPosition: until, openTransactions: open });
    return null;
  };

  const next: FollowedLog['next'] = async (name, limit, work) => {
    // On PostgreSQL before it is asked who writes.
    const last = await lastOf(storage.db);
    const [known] = await storage.db.select().from(eventCursors).where(eq(eventCursors.name, name));
    if (last <= (known?.position ?? 0)) return false;
    return storage.transaction(async (db) => {
      const mark = await markOf(db, name);
      const until = await wholeTo(db, mark, last);
      if (until === null) return false;
      if (until <= mark.position) return false;
      const { scopeId, personKey, module, eventType, source, timestamp, position } = events;
      const rows = await db
        .select({ scopeId, personKey, module, eventType, source, timestamp, position })
        .from(events)
        .where(and(gt(position, mark.position), lte(position, until)))
        .orderBy(asc(position))
        .limit(limit);
      if (rows.length > 0) await work(db, rows);
      const to = rows.length === limit ? (rows.at(-1)?.position ?? until) : until;
      await put(db, { ...mark, position: to });
      // On PostgreSQL more may have come since the stretch was begun.
      return rows.length === limit || last > to;
    });
  };
  return {
    next,
    hold: async (db, name) => {
      await markOf(db, name);
    },
  };
};
