import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { SendingTables } from '../tables.ts';
import { COUNTED, type SendChanges } from './sums.ts';

const SEPARATOR = ' ';

/** The store behind `SendChanges`. */
export const sendChanges = ({
  db: outside,
  dialect,
  tables: { sends },
  clock,
}: StoreContext<SendingTables> & { readonly clock: Clock }): SendChanges => {
  const isUnreported = isNull(sends.reportedAt);
  const counts = sql.join(
    COUNTED.map((key) => sql`${sends[key]}`),
    sql.raw(` || '${SEPARATOR}' || `),
  );
  return {
    isAny: async () => (await outside.select({ id: sends.id }).from(sends).where(isUnreported).limit(1)).length > 0,
    take: async (db, limit) => {
      const found = db
        .select({
          scopeId: sends.scopeId,
          id: sends.id,
          channel: sends.channel,
          createdAt: sends.createdAt,
          templateId: sends.templateId,
          workflowRunId: sends.workflowRunId,
          reportedCounts: sends.reportedCounts,
          targeted: sends.targeted,
          sent: sends.sent,
          delivered: sends.delivered,
          uniqueOpened: sends.uniqueOpened,
          uniqueClicked: sends.uniqueClicked,
          bounced: sends.bounced,
          failed: sends.failed,
          suppressed: sends.suppressed,
        })
        .from(sends)
        .where(isUnreported)
        .limit(limit);
      // SQLite has no such clause and needs none: it has one writer at a time.
      const rows = await (dialect.name === 'postgres' ? found.for('update', { skipLocked: true }) : found);
      for (const [scopeId, ofScope] of Map.groupBy(rows, (row) => row.scopeId)) {
        const ids = ofScope.map(({ id }) => id);
        await db
          .update(sends)
          .set({ reportedCounts: counts, reportedAt: clock.now() })
          .where(and(eq(sends.scopeId, scopeId), inArray(sends.id, ids)));
      }
      return rows.map(({ reportedCounts, id: _, ...row }) => {
        const before = reportedCounts?.split(SEPARATOR) ?? [];
        return { ...row, more: COUNTED.map((key, at) => row[key] - Number(before[at] ?? 0)) };
      });
    },
  };
};
