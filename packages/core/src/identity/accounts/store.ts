import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AccountPage, AccountRow } from './account.ts';
import type { AccountSource } from './sources.ts';
import type { AccountTables } from './tables.ts';

/** Which accounts a list shows. */
export type AccountFilter = TimeRange & {
  readonly emailNorm: string | null;
  readonly userId: string | null;
  readonly disabled: boolean | null;
  readonly source: AccountSource | null;
};

/** Accounts as they are listed and erased; cold paths only. */
export const accountStore = ({
  db,
  tables: { authUsers, authPasswords },
}: Pick<StoreContext<AccountTables>, 'db' | 'tables'>) => {
  const matching = ({ scopeId }: InScope, filter: AccountFilter): SQL[] => [
    eq(authUsers.scopeId, scopeId),
    ...(filter.emailNorm === null ? [] : [eq(authUsers.emailNorm, filter.emailNorm)]),
    ...(filter.userId === null ? [] : [eq(authUsers.userId, filter.userId)]),
    ...(filter.disabled === null
      ? []
      : [filter.disabled ? isNotNull(authUsers.disabledAt) : isNull(authUsers.disabledAt)]),
    ...(filter.source === null ? [] : [eq(authUsers.source, filter.source)]),
    ...(filter.fromMs === null ? [] : [gte(authUsers.createdAt, new Date(filter.fromMs))]),
    ...(filter.toMs === null ? [] : [lt(authUsers.createdAt, new Date(filter.toMs))]),
  ];
  /** Accounts of any environment that were created before a moment, by id. */
  const olderThan = (before: Date, { after, limit }: AccountPage, which: SQL | undefined): Promise<AccountRow[]> =>
    db
      .select()
      .from(authUsers)
      .where(and(which, lt(authUsers.createdAt, before), after === null ? undefined : gt(authUsers.id, after)))
      .orderBy(authUsers.id)
      .limit(limit);
  return {
    list: (scope: InScope, filter: AccountFilter, { after, limit }: AccountPage): Promise<AccountRow[]> =>
      db
        .select()
        .from(authUsers)
        .where(and(...matching(scope, filter), after === null ? undefined : lt(authUsers.id, after)))
        .orderBy(desc(authUsers.id))
        .limit(limit),
    count: async (scope: InScope, filter: AccountFilter): Promise<number> => {
      const [row] = await db
        .select({ count: count() })
        .from(authUsers)
        .where(and(...matching(scope, filter)));
      return row?.count ?? 0;
    },
    /** Accounts of these users of the profile. */
    ofUsers: async (
      { scopeId }: InScope,
      userIds: readonly string[],
    ): Promise<readonly Pick<AccountRow, 'id' | 'emailNorm'>[]> => {
      if (userIds.length === 0) return [];
      return db
        .select({ id: authUsers.id, emailNorm: authUsers.emailNorm })
        .from(authUsers)
        .where(and(eq(authUsers.scopeId, scopeId), inArray(authUsers.userId, [...userIds])));
    },
    /** Accounts by id, oldest first, without guests: those cannot sign in again. */
    afterId: ({ scopeId }: InScope, after: string | null, limit: number): Promise<AccountRow[]> =>
      db
        .select()
        .from(authUsers)
        .where(
          and(
            eq(authUsers.scopeId, scopeId),
            eq(authUsers.isAnonymous, false),
            after === null ? undefined : gt(authUsers.id, after),
          ),
        )
        .orderBy(asc(authUsers.id))
        .limit(limit),
    /** True if a password needs this configuration of imported hashes. */
    usesHashConfig: async ({ scopeId }: InScope, hashConfigId: string): Promise<boolean> => {
      const [row] = await db
        .select({ accountId: authPasswords.accountId })
        .from(authPasswords)
        .where(and(eq(authPasswords.scopeId, scopeId), eq(authPasswords.hashConfigId, hashConfigId)))
        .limit(1);
      return row !== undefined;
    },
    /** Deletes accounts with their passwords. Returns the number of deleted rows. */
    erase: async ({ scopeId }: InScope, ids: readonly string[]): Promise<number> => {
      if (ids.length === 0) return 0;
      const passwords = await db
        .delete(authPasswords)
        .where(and(eq(authPasswords.scopeId, scopeId), inArray(authPasswords.accountId, [...ids])))
        .returning({ id: authPasswords.accountId });
      const users = await db
        .delete(authUsers)
        .where(and(eq(authUsers.scopeId, scopeId), inArray(authUsers.id, [...ids])))
        .returning({ id: authUsers.id });
      return passwords.length + users.length;
    },
    /** Guests of any environment, by id. */
    guestsOfAll: (before: Date, page: AccountPage): Promise<AccountRow[]> =>
      olderThan(before, page, eq(authUsers.isAnonymous, true)),
    /** Accounts of any environment that were never verified and never used, by id. */
    unprovenOfAll: (before: Date, page: AccountPage): Promise<AccountRow[]> =>
      olderThan(before, page, and(isNull(authUsers.usableAt), isNull(authUsers.lastSignInAt))),
  };
};

export type AccountStore = ReturnType<typeof accountStore>;
