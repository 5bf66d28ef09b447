import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../storage/context.ts';
import type { Rate } from './gcra.ts';
import type { LimitTables } from './tables.ts';

/** The buckets of orgs, shared by all processes of a database. */
export const limitStore = ({ db, tables: { mailLimits: table } }: Pick<StoreContext<LimitTables>, 'db' | 'tables'>) => {
  /** One statement decides, as `taken` does: two processes never let the same place pass. */
  const later = (nowUs: number): SQL => sql`case when ${table.tatUs} > ${nowUs} then ${table.tatUs} else ${nowUs} end`;

  return {
    get: async (orgId: string) => (await db.select().from(table).where(eq(table.orgId, orgId))).at(0),
    /** Answers whether one was taken. */
    take: async (orgId: string, isProbation: boolean, nowUs: number, { periodUs, burst }: Rate): Promise<boolean> => {
      const allowed = sql`${later(nowUs)} + ${periodUs} - ${burst * periodUs} <= ${nowUs}`;
      const rows = await db
        .update(table)
        .set({ tatUs: sql`${later(nowUs)} + ${periodUs}` })
        .where(and(eq(table.orgId, orgId), eq(table.isProbation, isProbation), allowed))
        .returning({ orgId: table.orgId });
      return rows.length > 0;
    },
    /** Where nobody moved it meanwhile; answers whether it was. */
    move: async ({ orgId, isProbation, tatUs }: typeof table.$inferSelect, toUs: number): Promise<boolean> => {
      const isAsRead = and(eq(table.orgId, orgId), eq(table.isProbation, isProbation), eq(table.tatUs, tatUs));
      return (await db.update(table).set({ tatUs: toUs }).where(isAsRead).returning({ orgId: table.orgId })).length > 0;
    },
    giveBack: async (orgId: string, { periodUs }: Rate, count = 1): Promise<void> => {
      await db
        .update(table)
        .set({ tatUs: sql`${table.tatUs} - ${periodUs * count}` })
        .where(eq(table.orgId, orgId));
    },
    /** An empty bucket where there is none. */
    make: async (orgId: string): Promise<void> => {
      await db.insert(table).values({ orgId, isProbation: false, tatUs: 0 }).onConflictDoNothing();
    },
    setProbation: async (orgId: string, isProbation: boolean): Promise<void> => {
      await db
        .insert(table)
        .values({ orgId, isProbation, tatUs: 0 })
        .onConflictDoUpdate({ target: table.orgId, set: { isProbation } });
    },
  };
};
