import { and, asc, eq, gt, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AnalyticsTables } from './tables.ts';
import type { EventHour } from './tally.ts';

export type ActiveHour = AnalyticsTables['activeHours']['$inferSelect'];
/** Whole hours: `from` inclusive, `to` exclusive. */
export type Hours = { readonly from: number; readonly to: number };
export const GROUPS = ['eventType', 'module', 'source'] as const;
/** How events can be grouped. */
export type EventGroup = (typeof GROUPS)[number];
/** Which events are counted; `among`: only these groups. */
export type EventFilter = {
  readonly eventType?: string | undefined;
  readonly source?: string | undefined;
  readonly among?: { readonly by: EventGroup; readonly names: readonly string[] } | undefined;
};
/**
 * How hours of one offset form units: a unit has `length` quarters and begins where quarter plus offset is a multiple
 * of it.
 */
export type Units = { readonly length: number; readonly offset: number };
/** Sums by quarter of hours whose first quarter is in unit `first` and whose last quarter is in unit `last`. */
export type UnitSums = {
  readonly first: number;
  readonly last: number;
  readonly name: string | null;
  readonly quarter0: number;
  readonly quarter1: number;
  readonly quarter2: number;
  readonly quarter3: number;
};

/** Rows per insert. Chosen: 9 values each, well below the bind limit of both databases. */
const ROWS = 500;

const total = (column: SQL | AnalyticsTables['eventHours']['quarter0']) => sql<number>`sum(${column})`.mapWith(Number);

export const analyticsStore = ({ db, tables }: { readonly db: Db; readonly tables: AnalyticsTables }) => {
  const { eventHours, activeHours } = tables;
  const within = (table: typeof eventHours | typeof activeHours, { scopeId }: InScope, { from, to }: Hours) =>
    and(eq(table.scopeId, scopeId), gte(table.hour, from), lt(table.hour, to));
  const counted = (scope: InScope, hours: Hours, { eventType, source, among }: EventFilter) =>
    and(
      within(eventHours, scope, hours),
      eventType === undefined ? undefined : eq(eventHours.eventType, eventType),
      source === undefined ? undefined : eq(eventHours.source, source),
      among === undefined ? undefined : inArray(eventHours[among.by], [...among.names]),
    );
  const { quarter0, quarter1, quarter2, quarter3 } = eventHours;

  return {
    /** Adds to the counts. Rows must have one order. */
    add: async (rows: readonly EventHour[]): Promise<void> => {
      for (let at = 0; at < rows.length; at += ROWS) {
        const excluded = (name: string) =>
          sql`${sql.identifier('event_hours')}.${sql.identifier(name)} + ${sql.identifier('excluded')}.${sql.identifier(name)}`;
        await db
          .insert(eventHours)
          .values(rows.slice(at, at + ROWS))
          .onConflictDoUpdate({
            target: [eventHours.scopeId, eventHours.hour, eventHours.eventType, eventHours.module, eventHours.source],
            set: {
              quarter0: excluded('quarter_0'),
              quarter1: excluded('quarter_1'),
              quarter2: excluded('quarter_2'),
              quarter3: excluded('quarter_3'),
            },
          });
      }
    },
    peopleAt: ({ scopeId }: InScope, hours: readonly number[]): Promise<ActiveHour[]> =>
      db
        .select()
        .from(activeHours)
        .where(and(eq(activeHours.scopeId, scopeId), inArray(activeHours.hour, [...hours]))),
    putPeople: async (rows: readonly ActiveHour[]): Promise<void> => {
      for (let at = 0; at < rows.length; at += ROWS)
        await db
          .insert(activeHours)
          .values(rows.slice(at, at + ROWS))
          .onConflictDoUpdate({
            target: [activeHours.scopeId, activeHours.hour],
            set: { sampleLevel: sql`excluded.sample_level`, sample: sql`excluded.sample` },
          });
    },
    /** Hours with active users, in order, up to `limit`. */
    peopleIn: (scope: InScope, hours: Hours, limit: number): Promise<ActiveHour[]> =>
      db
        .select()
        .from(activeHours)
        .where(within(activeHours, scope, hours))
        .orderBy(asc(activeHours.hour))
        .limit(limit),
    /** Sums per unit, optionally by group. */
    sums: (
      scope: InScope,
      hours: Hours,
      { length, offset }: Units,
      filter: EventFilter,
      by: EventGroup | null,
    ): Promise<UnitSums[]> => {
      const unitAt = (part: number) =>
        sql<number>`(${eventHours.hour} * 4 + ${sql.raw(String(offset + part))}) / ${sql.raw(String(length))}`.mapWith(
          Number,
        );
      const [first, last] = [unitAt(0), unitAt(3)];
      const name: SQL<string | null> = by === null ? sql<null>`null` : sql<string>`${eventHours[by]}`;
      return db
        .select({
          first,
          last,
          name,
          quarter0: total(quarter0),
          quarter1: total(quarter1),
          quarter2: total(quarter2),
          quarter3: total(quarter3),
        })
        .from(eventHours)
        .where(counted(scope, hours, filter))
        .groupBy(first, last, ...(by === null ? [] : [name]));
    },
    /** Groups with the most events, largest first. */
    greatest: async (
      scope: InScope,
      hours: Hours,
      filter: EventFilter,
      by: EventGroup,
      limit: number,
    ): Promise<string[]> => {
      const name = eventHours[by];
      const all = total(sql`${quarter0} + ${quarter1} + ${quarter2} + ${quarter3}`);
      const rows = await db
        .select({ name, all })
        .from(eventHours)
        .where(counted(scope, hours, filter))
        .groupBy(name)
        .orderBy(sql`2 desc`, asc(name))
        .limit(limit);
      return rows.map((row) => row.name);
    },
    /** Deletes up to `limit` rows of hours before `before` from each table; returns how many. */
    forget: async ({ scopeId }: InScope, before: number, limit: number): Promise<number> => {
      let deleted = 0;
      for (const table of [eventHours, activeHours] as const) {
        const old = db
          .select({ hour: table.hour })
          .from(table)
          .where(and(eq(table.scopeId, scopeId), lt(table.hour, before)))
          .orderBy(asc(table.hour))
          .limit(limit);
        const rows = await db
          .delete(table)
          .where(and(eq(table.scopeId, scopeId), inArray(table.hour, old)))
          .returning({ hour: table.hour });
        deleted += rows.length;
      }
      return deleted;
    },
    /** Hours with active users after the given one, in order, without an upper bound. */
    peopleAfter: ({ scopeId }: InScope, after: number, limit: number): Promise<ActiveHour[]> =>
      db
        .select()
        .from(activeHours)
        .where(and(eq(activeHours.scopeId, scopeId), gt(activeHours.hour, after)))
        .orderBy(asc(activeHours.hour))
        .limit(limit),
  };
};

export type AnalyticsStore = ReturnType<typeof analyticsStore>;
