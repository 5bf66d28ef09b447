import { and, asc, count, eq, gt, isNotNull, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import type { SocialTables } from './tables.ts';

export type SocialProviderRow = SocialTables['authSocialProviders']['$inferSelect'];
type Key = Pick<SocialProviderRow, 'scopeId' | 'provider'>;

/** Credentials of social providers, as operators manage them. */
export const socialStore = ({
  db,
  tables: { authSocialProviders: providers },
}: Pick<StoreContext<SocialTables>, 'db' | 'tables'>) => {
  const is = ({ scopeId, provider }: Key) => and(eq(providers.scopeId, scopeId), eq(providers.provider, provider));
  return {
    of: async ({ scopeId }: InScope, provider: SocialProvider): Promise<SocialProviderRow | null> =>
      (await db.select().from(providers).where(is({ scopeId, provider })))[0] ?? null,
    list: ({ scopeId }: InScope): Promise<SocialProviderRow[]> =>
      db.select().from(providers).where(eq(providers.scopeId, scopeId)).orderBy(asc(providers.provider)),
    put: async ({ scopeId, provider, ...values }: SocialProviderRow): Promise<void> => {
      await db
        .insert(providers)
        .values({ scopeId, provider, ...values })
        .onConflictDoUpdate({ target: [providers.scopeId, providers.provider], set: values });
    },
    remove: async ({ scopeId }: InScope, provider: SocialProvider): Promise<boolean> =>
      (await db.delete(providers).where(is({ scopeId, provider })).returning({ provider: providers.provider })).length >
      0,
    countOfAll: async (): Promise<number> =>
      (await db.select({ count: count() }).from(providers).where(isNotNull(providers.sealed)))[0]?.count ?? 0,
    pageOfAll: (after: Key | null, limit: number): Promise<SocialProviderRow[]> =>
      db
        .select()
        .from(providers)
        .where(
          and(
            isNotNull(providers.sealed),
            after === null
              ? undefined
              : or(
                  gt(providers.scopeId, after.scopeId),
                  and(eq(providers.scopeId, after.scopeId), gt(providers.provider, after.provider)),
                ),
          ),
        )
        .orderBy(asc(providers.scopeId), asc(providers.provider))
        .limit(limit),
    reseal: async (key: Key, from: string, to: string): Promise<void> => {
      await db
        .update(providers)
        .set({ sealed: to })
        .where(and(is(key), eq(providers.sealed, from)));
    },
  };
};
