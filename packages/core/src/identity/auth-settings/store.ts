import { and, asc, count, eq, gt, isNotNull } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AuthSettingsTables } from './tables.ts';

type Row = AuthSettingsTables['authSettings']['$inferSelect'];

/** Sign-in settings as they are changed. */
export const authSettingsStore = ({
  db,
  tables: { authSettings },
}: Pick<StoreContext<AuthSettingsTables>, 'db' | 'tables'>) => ({
  of: async ({ scopeId }: InScope): Promise<Row | undefined> =>
    (await db.select().from(authSettings).where(eq(authSettings.scopeId, scopeId)))[0],
  /**
   * False: another change came first. `version`: the one that was read; null: there was no row. Without `captchaSealed` the
   * stored secret is kept.
   */
  save: async (
    row: Omit<Row, 'version' | 'captchaSealed'> & Partial<Pick<Row, 'captchaSealed'>>,
    version: number | null,
  ): Promise<boolean> => {
    const { scopeId, ...values } = row;
    const saved =
      version === null
        ? await db
            .insert(authSettings)
            .values({ ...row, version: 1 })
            .onConflictDoNothing()
            .returning({ version: authSettings.version })
        : await db
            .update(authSettings)
            .set({ ...values, version: version + 1 })
            .where(and(eq(authSettings.scopeId, scopeId), eq(authSettings.version, version)))
            .returning({ version: authSettings.version });
    return saved.length > 0;
  },
  countOfAll: async (): Promise<number> =>
    (await db.select({ count: count() }).from(authSettings).where(isNotNull(authSettings.captchaSealed)))[0]?.count ??
    0,
  /** Rows with a secret, after a scope. */
  pageOfAll: (after: InScope | null, limit: number) =>
    db
      .select({ scopeId: authSettings.scopeId, captchaSealed: authSettings.captchaSealed })
      .from(authSettings)
      .where(
        and(
          isNotNull(authSettings.captchaSealed),
          after === null ? undefined : gt(authSettings.scopeId, after.scopeId),
        ),
      )
      .orderBy(asc(authSettings.scopeId))
      .limit(limit),
  /** Seals the secret again, unless it has changed. */
  reseal: async ({ scopeId }: InScope, from: string, to: string): Promise<void> => {
    await db
      .update(authSettings)
      .set({ captchaSealed: to })
      .where(and(eq(authSettings.scopeId, scopeId), eq(authSettings.captchaSealed, from)));
  },
});
