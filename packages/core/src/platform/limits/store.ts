import { and, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { BucketDelta, BucketState } from './exchange.ts';
import type { Rate } from './gcra.ts';
import type { LimitTables } from './tables.ts';

/** Email buckets of organizations, shared by all processes of a database. */
export const limitStore = ({ db, tables: { mailLimits: table } }: Pick<StoreContext<LimitTables>, 'db' | 'tables'>) => {
  /** One statement decides, as `decide` does: two processes never take the same permit. */
  const laterOf = (nowUs: number): SQL =>
    sql`case when ${table.tatUs} > ${nowUs} then ${table.tatUs} else ${nowUs} end`;

  return {
    get: async (orgId: string) => (await db.select().from(table).where(eq(table.orgId, orgId))).at(0),
    /** Returns whether a permit was taken. */
    take: async (orgId: string, isProbation: boolean, nowUs: number, { periodUs, burst }: Rate): Promise<boolean> => {
      const allowed = sql`${laterOf(nowUs)} + ${periodUs} - ${burst * periodUs} <= ${nowUs}`;
      const rows = await db
        .update(table)
        .set({ tatUs: sql`${laterOf(nowUs)} + ${periodUs}` })
        .where(and(eq(table.orgId, orgId), eq(table.isProbation, isProbation), allowed))
        .returning({ orgId: table.orgId });
      return rows.length > 0;
    },
    /** Sets the bucket unless it was changed meanwhile; returns whether it did. */
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
    /** Creates a bucket if there is none. */
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

/** Call rates set for organizations. */
export const callRateStore = ({
  db,
  tables: { callRates: table },
}: Pick<StoreContext<LimitTables>, 'db' | 'tables'>) => ({
  ofOrgs: (orgIds: readonly string[]) =>
    db
      .select()
      .from(table)
      .where(inArray(table.orgId, [...orgIds])),
  set: async (orgId: string, kind: string, perMinute: number): Promise<void> => {
    const set = { perMinute };
    await db
      .insert(table)
      .values({ orgId, kind, perMinute })
      .onConflictDoUpdate({ target: [table.orgId, table.kind], set });
  },
  remove: async (orgId: string, kind: string): Promise<void> => {
    await db.delete(table).where(and(eq(table.orgId, orgId), eq(table.kind, kind)));
  },
});

/** Buckets shared by processes. */
export const callBucketStore = ({
  db,
  tables: { callBuckets: table },
}: Pick<StoreContext<LimitTables>, 'db' | 'tables'>) => {
  const excluded = (column: { readonly name: string }): SQL => sql.raw(`excluded."${column.name}"`);
  return {
    /**
     * Subtracts what was taken, and grants what is available of the requested cost. One statement, which locks its rows
     * in one order, so no two processes take the same cost or wait for each other.
     */
    swap: async (
      deltas: readonly (BucketDelta & { readonly digest: string })[],
      nowUs: number,
    ): Promise<BucketState[]> => {
      const sorted = deltas.toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
      const keys = new Map(sorted.map(({ digest, key }) => [digest, key]));
      const base = sql`(case when ${table.tatUs} > ${nowUs} then ${table.tatUs} else ${nowUs} end + ${excluded(table.unsynced)} * ${excluded(table.periodUs)})`;
      const free = sql`((${nowUs} + ${excluded(table.burst)} * ${excluded(table.periodUs)} - ${base}) / ${excluded(table.periodUs)})`;
      const granted = sql`(case when ${free} <= 0 then 0 when ${free} < ${excluded(table.requested)} then ${free} else ${excluded(table.requested)} end)`;
      const rows = await db
        .insert(table)
        .values(
          sorted.map(({ key: _, ...row }) => {
            const grants = Math.max(Math.min(row.requested, row.burst - Math.max(row.unsynced, 0)), 0);
            return { ...row, granted: grants, tatUs: nowUs + (row.unsynced + grants) * row.periodUs };
          }),
        )
        .onConflictDoUpdate({
          target: table.digest,
          set: {
            granted,
            tatUs: sql`${base} + ${granted} * ${excluded(table.periodUs)}`,
            unsynced: excluded(table.unsynced),
            requested: excluded(table.requested),
            periodUs: excluded(table.periodUs),
            burst: excluded(table.burst),
          },
        })
        .returning({ digest: table.digest, tatUs: table.tatUs, granted: table.granted });
      return rows.map(({ digest, tatUs, granted: got }) => ({
        key: keys.get(digest) ?? '',
        backlogUs: Math.max(tatUs - nowUs, 0),
        granted: got,
      }));
    },
    /** Deletes some full buckets; returns how many. */
    removeFull: async (nowUs: number, most: number): Promise<number> => {
      const full = db.select({ digest: table.digest }).from(table).where(lte(table.tatUs, nowUs)).limit(most);
      const rows = await db
        .delete(table)
        .where(and(inArray(table.digest, full), lte(table.tatUs, nowUs)))
        .returning({ digest: table.digest });
      return rows.length;
    },
  };
};
