import { and, eq, gte, inArray, lt, min, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { PlanTables } from './tables.ts';

type UsageRow = PlanTables['eventUsage']['$inferSelect'];

/** Counted events of organizations, for cold paths; ingest uses statements.ts. */
export const planStore = ({ db, tables: { eventUsage } }: Pick<StoreContext<PlanTables>, 'db' | 'tables'>) => ({
  rowsOf: async (orgId: string, month: string): Promise<Pick<UsageRow, 'events'>[]> =>
    db
      .select({ events: eventUsage.events })
      .from(eventUsage)
      .where(and(eq(eventUsage.orgId, orgId), eq(eventUsage.month, month))),
  /** Some slots from this one on. */
  slotsFrom: async (slot: number, limit: number): Promise<number[]> => {
    const { slot: own } = eventUsage;
    const rows = await db.select({ own }).from(eventUsage).where(gte(own, slot)).limit(limit);
    return [...new Set(rows.map((row) => row.own))];
  },
  /** Deletes their rows and returns them. */
  take: async (slots: readonly number[]): Promise<Pick<UsageRow, 'orgId' | 'month' | 'events'>[]> => {
    const { orgId, month, events } = eventUsage;
    return db
      .delete(eventUsage)
      .where(inArray(eventUsage.slot, [...slots]))
      .returning({ orgId, month, events });
  },
  add: async (row: UsageRow): Promise<void> => {
    await db
      .insert(eventUsage)
      .values(row)
      .onConflictDoUpdate({
        target: [eventUsage.orgId, eventUsage.month, eventUsage.slot],
        set: { events: sql`${eventUsage.events} + excluded.events` },
      });
  },
  /** The oldest month; null if there is none. */
  oldest: async (): Promise<string | null> =>
    (await db.select({ month: min(eventUsage.month) }).from(eventUsage)).at(0)?.month ?? null,
  forgetBefore: async (month: string): Promise<void> => {
    await db.delete(eventUsage).where(lt(eventUsage.month, month));
  },
});
