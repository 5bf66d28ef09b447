import { and, asc, count, eq, gt, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { AiTables } from './tables.ts';

export type AiSettingsRow = AiTables['aiSettings']['$inferSelect'];
export type AiCallRow = AiTables['aiCalls']['$inferSelect'];

/** Settings and usage of orgs. Nothing here is hot, because a model call takes seconds. */
export const aiStore = ({ db, tables: { aiSettings, aiUsage } }: Pick<StoreContext<AiTables>, 'db' | 'tables'>) => ({
  settingsOf: async (orgIds: readonly string[]): Promise<AiSettingsRow[]> =>
    orgIds.length === 0
      ? []
      : db
          .select()
          .from(aiSettings)
          .where(inArray(aiSettings.orgId, [...orgIds])),
  put: async (row: AiSettingsRow): Promise<void> => {
    const { orgId, ...values } = row;
    await db.insert(aiSettings).values(row).onConflictDoUpdate({ target: aiSettings.orgId, set: values });
  },
  remove: async (orgId: string): Promise<void> => {
    await db.delete(aiSettings).where(eq(aiSettings.orgId, orgId));
  },
  /** Only these settings: later ones are not at fault. */
  setFaulty: async (
    orgId: string,
    version: string,
    faultyAt: Date | null,
    faultyCode: string | null,
  ): Promise<void> => {
    await db
      .update(aiSettings)
      .set({ faultyAt, faultyCode })
      .where(and(eq(aiSettings.orgId, orgId), eq(aiSettings.version, version)));
  },
  countSealed: async (): Promise<number> =>
    (await db.select({ rows: count() }).from(aiSettings).where(isNotNull(aiSettings.sealed))).at(0)?.rows ?? 0,
  /** Settings of all orgs ordered by org, after the given one. */
  sealedOfAll: async (after: string, limit: number): Promise<AiSettingsRow[]> =>
    db
      .select()
      .from(aiSettings)
      .where(and(isNotNull(aiSettings.sealed), gt(aiSettings.orgId, after)))
      .orderBy(asc(aiSettings.orgId))
      .limit(limit),
  /** Stores the re-encrypted key unless it changed since `was`. */
  reseal: async (orgId: string, was: string, sealed: string): Promise<void> => {
    await db
      .update(aiSettings)
      .set({ sealed })
      .where(and(eq(aiSettings.orgId, orgId), eq(aiSettings.sealed, was)));
  },
  tokensOf: async (orgId: string, day: string): Promise<number> =>
    (
      await db
        .select({ tokens: aiUsage.tokens })
        .from(aiUsage)
        .where(and(eq(aiUsage.orgId, orgId), eq(aiUsage.day, day)))
    ).at(0)?.tokens ?? 0,
  /** One statement, so that concurrent counts are all kept. */
  addTokens: async (orgId: string, day: string, tokens: number): Promise<void> => {
    await db
      .insert(aiUsage)
      .values({ orgId, day, tokens })
      .onConflictDoUpdate({
        target: [aiUsage.orgId, aiUsage.day],
        set: { tokens: sql`${aiUsage.tokens} + ${tokens}` },
      });
  },
  /** Deletes earlier days. */
  forgetBefore: async (day: string): Promise<void> => {
    await db.delete(aiUsage).where(lt(aiUsage.day, day));
  },
});
