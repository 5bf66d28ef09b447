// Reads the event log in slices, each event once. The cursor advances in the transaction that stores the result. On
// SQLite, positions are assigned in the only write transaction, so everything up to the last position is complete. On
// PostgreSQL, a transaction may commit after one with higher positions. Every writer holds the table's row-exclusive
// lock until it ends. So the reader first reads the last position, then the holders of that lock; the range up to the
// position is complete once all of them have ended.

import { and, asc, eq, gt, lte, max, sql } from 'drizzle-orm';
import type { Db, Storage } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';
import type { FollowedLog } from './followed.ts';

type Mark = EventTables['eventCursors']['$inferSelect'];

/**
 * To be called after deleting events on SQLite, which reuses the positions of deleted last rows: lowers all cursors to
 * the last position that is left.
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

/** Creates the reader of the log of all scopes. Throws nothing. */
export const followedLog = ({ storage, tables }: { storage: Storage; tables: EventTables }): FollowedLog => {
  const { events, eventCursors } = tables;
  const isSqlite = storage.dialect.name === 'sqlite';

  const lastOf = async (db: Db): Promise<number> => {
    const [row] = await db.select({ last: max(events.position) }).from(events);
    return row?.last ?? 0;
  };
  /** On PostgreSQL the row lock serializes processes. */
  const markOf = async (db: Db, name: string): Promise<Mark> => {
    await db.insert(eventCursors).values({ name, position: 0 }).onConflictDoNothing();
    const [mark] = await db.update(eventCursors).set({ name }).where(eq(eventCursors.name, name)).returning();
    return mark ?? { name, position: 0, pendingPosition: null, openTransactions: null };
  };
  const put = async (db: Db, { name, ...mark }: Mark): Promise<void> => {
    await db.update(eventCursors).set(mark).where(eq(eventCursors.name, name));
  };
  /** Transactions of this database that write events. Their names are never reused. */
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
  /** Last position up to which the log is complete; null while that is unknown. */
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
    // On PostgreSQL the position must be read before the list of writers.
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
      // On PostgreSQL more events may have been stored since the range was opened.
      return rows.length === limit || last > to;
    });
  };
  return {
    next,
    lock: async (db, name) => {
      await markOf(db, name);
    },
  };
};
