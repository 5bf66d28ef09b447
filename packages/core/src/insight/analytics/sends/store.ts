import { and, asc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendCounts } from '../answers.generated.ts';
import type { Units } from '../store.ts';
import type { AnalyticsTables } from '../tables.ts';

/** Counters of sends, in the order of reports (sending/sums). */
export const COUNTS = [
  'targeted',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'failed',
  'suppressed',
] as const satisfies readonly (keyof SendCounts)[];
export type SendQuarter = AnalyticsTables['sendQuarters']['$inferSelect'];
/** How sends can be grouped. */
export type SendKey = 'templateId' | 'workflowId';
/** Which sends are counted; `among`: only these groups. */
export type SendFilter = {
  readonly channel?: Channel | undefined;
  readonly among?: { readonly by: SendKey; readonly names: readonly string[] } | undefined;
};
export type SendUnit = SendCounts & { readonly unit: number; readonly name: string | null };

/** Rows per insert. Chosen: 13 values each, well below the bind limit of both databases. */
const ROWS = 500;

/** Roll-ups of sends. */
export const sendQuarterStore = ({ db, tables }: { readonly db: Db; readonly tables: AnalyticsTables }) => {
  const { sendQuarters: rows } = tables;
  const sum = (key: (typeof COUNTS)[number]) => sql<number>`sum(${rows[key]})`.mapWith(Number);
  const added = (key: (typeof COUNTS)[number]): SQL =>
    sql`${sql.identifier('send_quarters')}.${sql.identifier(key)} + ${sql.identifier('excluded')}.${sql.identifier(key)}`;

  return {
    /** Adds to the counts. Rows must have one order. */
    add: async (more: readonly SendQuarter[]): Promise<void> => {
      for (let at = 0; at < more.length; at += ROWS)
        await db
          .insert(rows)
          .values(more.slice(at, at + ROWS))
          .onConflictDoUpdate({
            target: [rows.scopeId, rows.quarter, rows.channel, rows.templateId, rows.workflowId],
            set: {
              targeted: added('targeted'),
              sent: added('sent'),
              delivered: added('delivered'),
              opened: added('opened'),
              clicked: added('clicked'),
              bounced: added('bounced'),
              failed: added('failed'),
              suppressed: added('suppressed'),
            },
          });
    },
    /** Sums per unit of a range of quarters, optionally by group. */
    sums: (
      { scopeId }: InScope,
      { from, to }: { readonly from: number; readonly to: number },
      { length, offset }: Units,
      { channel, among }: SendFilter,
      by: SendKey | null,
    ): Promise<SendUnit[]> => {
      const unit = sql<number>`(${rows.quarter} + ${sql.raw(String(offset))}) / ${sql.raw(String(length))}`.mapWith(
        Number,
      );
      const name: SQL<string | null> = by === null ? sql<null>`null` : sql<string>`${rows[by]}`;
      return db
        .select({
          unit,
          name,
          targeted: sum('targeted'),
          sent: sum('sent'),
          delivered: sum('delivered'),
          opened: sum('opened'),
          clicked: sum('clicked'),
          bounced: sum('bounced'),
          failed: sum('failed'),
          suppressed: sum('suppressed'),
        })
        .from(rows)
        .where(
          and(
            eq(rows.scopeId, scopeId),
            gte(rows.quarter, from),
            lt(rows.quarter, to),
            channel === undefined ? undefined : eq(rows.channel, channel),
            among === undefined ? undefined : inArray(rows[among.by], [...among.names]),
          ),
        )
        .groupBy(unit, ...(by === null ? [] : [name]));
    },
    /** Deletes rows of up to `limit` quarters before `before`; returns how many rows. */
    forget: async ({ scopeId }: InScope, before: number, limit: number): Promise<number> => {
      const old = db
        .select({ quarter: rows.quarter })
        .from(rows)
        .where(and(eq(rows.scopeId, scopeId), lt(rows.quarter, before)))
        .orderBy(asc(rows.quarter))
        .limit(limit);
      const deleted = await db
        .delete(rows)
        .where(and(eq(rows.scopeId, scopeId), inArray(rows.quarter, old)))
        .returning({ quarter: rows.quarter });
      return deleted.length;
    },
  };
};

export type SendQuarters = ReturnType<typeof sendQuarterStore>;
