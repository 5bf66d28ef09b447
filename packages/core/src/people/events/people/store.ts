/*
 * Where a profile's events are found on SQLite. Measured: an index on the profile, written by each commit, costs 15.8
 * instead of 12.7 us of CPU an event and 0.75 instead of 0.33 pages of the write-ahead log (gate G1 of ingest), because
 * its entries are in no order of time. So it is derived later, many events at once in the order of their profiles. This
 * is safe because SQLite assigns positions inside the one write transaction: everything below a mark is complete. Reads
 * look up what the index lacks by position. PostgreSQL keeps an ordinary index: its identities do not commit in order.
 */
import { and, desc, eq, getTableColumns, gt, gte, inArray, lt, lte, max, type SQL, sql } from 'drizzle-orm';
import type { Db, Storage } from '../../../database/storage.ts';
import type { TimeRange } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { lowerMarks } from '../followed/store.ts';
import { personKey } from '../person-key.ts';
import type { EventTables } from '../tables.ts';
import {
  areOfType,
  type EventTally,
  inPage,
  newestFirst,
  type TypedEvent,
  type TypedPage,
  tallyFields,
  typedFields,
} from '../typed/store.ts';

export type EventRow = EventTables['events']['$inferSelect'];

export type PeopleIndex = {
  /** Events of these profiles, newest first, received in the range, below position `before`. */
  listOf(
    scope: InScope,
    people: readonly string[],
    limit: number,
    before?: number,
    range?: TimeRange,
  ): Promise<EventRow[]>;
  /** Number of such events. */
  countOf(scope: InScope, people: readonly string[], range: TimeRange): Promise<number>;
  /**
   * Count and last time of this event per profile; profiles without any are missing. Excludes raised events that wait
   * for a worker.
   */
  talliesOf(scope: InScope, people: readonly string[], eventType: string): Promise<EventTally[]>;
  /** Events of one name of these profiles, newest by timestamp first. Excludes raised events that wait for a worker. */
  newestOf(scope: InScope, people: readonly string[], eventType: string, page: TypedPage): Promise<TypedEvent[]>;
  /** Moves up to `limit` events from one profile to another and returns how many. */
  move(scope: InScope, from: string, to: string, limit: number): Promise<number>;
  /** Deletes up to `limit` events of these profiles and their message ids, and returns how many events. */
  erase(scope: InScope, people: readonly string[], limit: number): Promise<number>;
  /**
   * Indexes some of the missing events in one transaction of a few milliseconds; true if more are left. Concurrent
   * calls of other processes wait for each other.
   */
  catchUp(): Promise<boolean>;
};

/**
 * Events per pass. A larger pass costs fewer pages per event, but reads scan more unindexed events. Measured at 400,000
 * events of 100,000 profiles.
 */
export const PASS = 10_000;
/** Events of a pass per transaction, which ingest waits for. Measured as above. */
const SLICE = 2_500;

type Sizes = { readonly pass: number; readonly slice: number };
/** Above the greatest profile key. */
const KEYS = 2 ** 48;

type Parts = { readonly storage: Storage; readonly tables: EventTables };

const keysOf = (scope: InScope, people: readonly string[]): number[] =>
  people.map((person) => personKey(scope, person));

const forgetMessageIds = async (db: Db, { eventMessageIds: ids }: EventTables, rows: readonly EventRow[]) => {
  const scopes = new Set(rows.map(({ scopeId }) => scopeId));
  const messageIds = rows.flatMap(({ messageId }) => messageId ?? []);
  if (messageIds.length === 0) return;
  await db.delete(ids).where(
    and(
      inArray(ids.scopeId, [...scopes]),
      inArray(ids.messageId, messageIds),
      // A newer event may own the id by now.
      inArray(
        ids.eventId,
        rows.map(({ id }) => id),
      ),
    ),
  );
};

const COUNT = { count: sql<number>`count(*)`.mapWith(Number) };

const receivedIn = (events: EventTables['events'], range: TimeRange | undefined): SQL | undefined =>
  and(
    range === undefined || range.fromMs === null ? undefined : gte(events.receivedAt, new Date(range.fromMs)),
    range === undefined || range.toMs === null ? undefined : lt(events.receivedAt, new Date(range.toMs)),
  );

const direct = ({ storage, tables }: Parts): PeopleIndex => {
  const { db } = storage;
  const { events } = tables;
  const of = (scope: InScope, people: readonly string[]): SQL | undefined =>
    and(
      inArray(events.personKey, keysOf(scope, people)),
      eq(events.scopeId, scope.scopeId),
      inArray(events.person, [...people]),
    );
  return {
    listOf: (scope, people, limit, before, range) =>
      db
        .select()
        .from(events)
        .where(
          and(
            of(scope, people),
            before === undefined ? undefined : lt(events.position, before),
            receivedIn(events, range),
          ),
        )
        .orderBy(desc(events.position))
        .limit(limit),
    countOf: async (scope, people, range) => {
      const [row] = await db
        .select(COUNT)
        .from(events)
        .where(and(of(scope, people), receivedIn(events, range)));
      return row?.count ?? 0;
    },
    talliesOf: (scope, people, eventType) =>
      db
        .select(tallyFields(events))
        .from(events)
        .where(and(of(scope, people), areOfType(db, tables, eventType)))
        .groupBy(events.person),
    newestOf: (scope, people, eventType, page) =>
      db
        .select(typedFields(events))
        .from(events)
        .where(and(of(scope, people), areOfType(db, tables, eventType), inPage(events, page)))
        .orderBy(desc(events.timestamp), desc(events.position))
        .limit(page.limit),
    move: async (scope, from, to, limit) => {
      const due = db
        .select({ position: events.position })
        .from(events)
        .where(of(scope, [from]))
        .limit(limit);
      const moved = await db
        .update(events)
        .set({ person: to, personKey: personKey(scope, to) })
        .where(and(eq(events.scopeId, scope.scopeId), inArray(events.position, due)))
        .returning({ position: events.position });
      return moved.length;
    },
    erase: (scope, people, limit) =>
      storage.transaction(async (tx) => {
        const rows = await tx.select().from(events).where(of(scope, people)).limit(limit);
        if (rows.length === 0) return 0;
        const positions = rows.map(({ position }) => position);
        await tx.delete(events).where(and(eq(events.scopeId, scope.scopeId), inArray(events.position, positions)));
        await forgetMessageIds(tx, tables, rows);
        return rows.length;
      }),
    catchUp: async () => false,
  };
};

/** Events up to `position` are indexed; up to `passEnd`, those of profiles with keys below `nextPersonKey`. */
type Mark = { readonly position: number; readonly passEnd: number; readonly nextPersonKey: number };

const derived = ({ storage, tables }: Parts, { pass, slice }: Sizes): PeopleIndex => {
  const { events, eventsByPerson, eventsByPersonCursor } = tables;
  // The unary plus keeps SQLite from using the index of ids, which would scan all events of the scope.
  const areOf = (scope: InScope, people: readonly string[]): SQL | undefined =>
    and(sql`+${events.scopeId} = ${scope.scopeId}`, inArray(events.person, [...people]));
  const among = (positions: readonly number[]): SQL => sql`(select value from json_each(${JSON.stringify(positions)}))`;

  const markOf = async (db: Db): Promise<Mark> => {
    const [mark] = await db.select().from(eventsByPersonCursor);
    return mark ?? { position: 0, passEnd: 0, nextPersonKey: 0 };
  };
  const putMark = (db: Db, mark: Mark): Promise<unknown> =>
    db
      .insert(eventsByPersonCursor)
      .values({ id: 1, ...mark })
      .onConflictDoUpdate({ target: eventsByPersonCursor.id, set: mark });

  /** Continues the current pass or begins one; null if nothing is missing. */
  const passFrom = async (db: Db, mark: Mark): Promise<Mark | null> => {
    if (mark.passEnd > mark.position) return mark;
    const [row] = await db.select({ last: max(events.position) }).from(events);
    const passEnd = Math.min(row?.last ?? 0, mark.position + pass);
    return passEnd > mark.position ? { ...mark, passEnd, nextPersonKey: 0 } : null;
  };

  const areRecent = (mark: Mark, scope: InScope, people: readonly string[], range?: TimeRange, before?: number) =>
    and(
      gt(events.position, mark.position),
      before === undefined ? undefined : lt(events.position, before),
      inArray(events.personKey, keysOf(scope, people)),
      areOf(scope, people),
      receivedIn(events, range),
    );
  // Excludes entries beyond the cursor: `areRecent` finds them.
  const areIndexed = (mark: Mark, scope: InScope, people: readonly string[], range?: TimeRange, before?: number) =>
    and(
      inArray(eventsByPerson.personKey, keysOf(scope, people)),
      lt(eventsByPerson.position, Math.min(mark.position + 1, before ?? Number.POSITIVE_INFINITY)),
      areOf(scope, people),
      receivedIn(events, range),
    );

  const recentOf = (db: Db, limit: number, ...which: Parameters<typeof areRecent>) =>
    db
      .select()
      .from(events)
      .where(areRecent(...which))
      .orderBy(desc(events.position))
      .limit(limit);

  const indexedOf = (db: Db, limit: number, ...which: Parameters<typeof areIndexed>) =>
    db
      .select(getTableColumns(events))
      .from(eventsByPerson)
      .innerJoin(events, eq(events.position, eventsByPerson.position))
      .where(areIndexed(...which))
      .orderBy(desc(eventsByPerson.position))
      .limit(limit);

  const listOf = async (db: Db, ...[scope, people, limit, before, range]: Parameters<PeopleIndex['listOf']>) => {
    // The cursor may advance during the reads; the index stays complete up to the old position.
    const mark = await markOf(db);
    const isPast = before !== undefined && before <= mark.position + 1;
    const recent = isPast ? [] : await recentOf(db, limit, mark, scope, people, range, before);
    if (recent.length >= limit) return recent;
    return [...recent, ...(await indexedOf(db, limit - recent.length, mark, scope, people, range, before))];
  };

  return {
    listOf: (...wanted) => listOf(storage.db, ...wanted),
    countOf: async (scope, people, range) => {
      const { db } = storage;
      const mark = await markOf(db);
      const [recent] = await db
        .select(COUNT)
        .from(events)
        .where(areRecent(mark, scope, people, range));
      const [indexed] = await db
        .select(COUNT)
        .from(eventsByPerson)
        .innerJoin(events, eq(events.position, eventsByPerson.position))
        .where(areIndexed(mark, scope, people, range));
      return (recent?.count ?? 0) + (indexed?.count ?? 0);
    },
    talliesOf: async (scope, people, eventType) => {
      const { db } = storage;
      const mark = await markOf(db);
      const typed = areOfType(db, tables, eventType);
      const recent = await db
        .select(tallyFields(events))
        .from(events)
        .where(and(areRecent(mark, scope, people), typed))
        .groupBy(events.person);
      const indexed = await db
        .select(tallyFields(events))
        .from(eventsByPerson)
        .innerJoin(events, eq(events.position, eventsByPerson.position))
        .where(and(areIndexed(mark, scope, people), typed))
        .groupBy(events.person);
      const merged = new Map(recent.map((row): [string, EventTally] => [row.person, row]));
      for (const { person, total, lastAt } of indexed) {
        const other = merged.get(person);
        merged.set(person, {
          person,
          total: total + (other?.total ?? 0),
          lastAt: other && other.lastAt > lastAt ? other.lastAt : lastAt,
        });
      }
      return [...merged.values()];
    },
    newestOf: async (scope, people, eventType, page) => {
      const { db } = storage;
      const mark = await markOf(db);
      const which = and(areOfType(db, tables, eventType), inPage(events, page));
      const recent = await db
        .select(typedFields(events))
        .from(events)
        .where(and(areRecent(mark, scope, people), which))
        .orderBy(desc(events.timestamp), desc(events.position))
        .limit(page.limit);
      const indexed = await db
        .select(typedFields(events))
        .from(eventsByPerson)
        .innerJoin(events, eq(events.position, eventsByPerson.position))
        .where(and(areIndexed(mark, scope, people), which))
        .orderBy(desc(events.timestamp), desc(events.position))
        .limit(page.limit);
      return [...recent, ...indexed].sort(newestFirst).slice(0, page.limit);
    },
    move: (scope, from, to, limit) =>
      storage.transaction(async (db) => {
        const rows = await listOf(db, scope, [from], limit);
        if (rows.length === 0) return 0;
        const [oldKey, newKey] = [personKey(scope, from), personKey(scope, to)];
        const positions = among(rows.map(({ position }) => position));
        const { position, passEnd, nextPersonKey } = await markOf(db);
        await db.update(events).set({ person: to, personKey: newKey }).where(sql`${events.position} in ${positions}`);
        await db
          .delete(eventsByPerson)
          .where(and(eq(eventsByPerson.personKey, oldKey), sql`${eventsByPerson.position} in ${positions}`));
        // The current or next pass indexes the other events, under the new key.
        const edge = newKey < nextPersonKey ? passEnd : position;
        await db.insert(eventsByPerson).select(
          db
            .select({ personKey: events.personKey, position: events.position })
            .from(events)
            .where(and(sql`${events.position} in ${positions}`, lte(events.position, edge))),
        );
        return rows.length;
      }),
    erase: (scope, people, limit) =>
      storage.transaction(async (db) => {
        const rows = await listOf(db, scope, people, limit);
        if (rows.length === 0) return 0;
        const positions = among(rows.map(({ position }) => position));
        await db.delete(events).where(sql`${events.position} in ${positions}`);
        await db
          .delete(eventsByPerson)
          .where(
            and(
              inArray(eventsByPerson.personKey, keysOf(scope, people)),
              sql`${eventsByPerson.position} in ${positions}`,
            ),
          );
        await forgetMessageIds(db, tables, rows);
        await lowerMarks(db, tables);
        return rows.length;
      }),
    catchUp: () =>
      storage.transaction(async (db) => {
        const mark = await passFrom(db, await markOf(db));
        if (!mark) return false;
        const { position, passEnd, nextPersonKey } = mark;
        // Keys are digests, so a part of the key range holds the same part of the pass, in neighbouring index pages.
        const end = Math.min(KEYS, nextPersonKey + Math.ceil((KEYS * slice) / (passEnd - position)));
        await db.insert(eventsByPerson).select(
          db
            .select({ personKey: events.personKey, position: events.position })
            .from(events)
            .where(
              and(
                gt(events.position, position),
                lte(events.position, passEnd),
                gte(events.personKey, nextPersonKey),
                lt(events.personKey, end),
              ),
            )
            .orderBy(events.personKey, events.position),
        );
        const isWhole = end === KEYS;
        await putMark(
          db,
          isWhole ? { position: passEnd, passEnd, nextPersonKey: 0 } : { position, passEnd, nextPersonKey: end },
        );
        return !isWhole || passEnd - position === pass;
      }),
  };
};

/**
 * Selects the index for the database. Throws nothing.
 *
 * @param sizes for tests
 */
export const peopleIndex = (parts: Parts, sizes: Sizes = { pass: PASS, slice: SLICE }): PeopleIndex =>
  parts.storage.dialect.name === 'sqlite' ? derived(parts, sizes) : direct(parts);
