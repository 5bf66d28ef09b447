import { and, asc, count, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ScimCondition } from './filter/condition.ts';
import { conditionSql, type FilterColumn, type FilterColumns } from './filter/store.ts';
import type { ScimPage } from './responses.ts';
import type { ScimDirectoryRow, ScimGroupRow, ScimTokenRow, ScimUserRow } from './rows.ts';
import type { ScimTables } from './tables.ts';

/** A directory: its environment and its id. */
export type InDirectory = InScope & { readonly directoryId: string };

/** Which tokens a list shows; `directoryId` null: those of all directories. */
export type TokenFilter = TimeRange & { readonly directoryId: string | null };

/** A member as its group shows it. */
export type ShownMember = { readonly groupId: string; readonly userId: string; readonly userName: string };

/** Ids of one statement. Chosen: PostgreSQL and SQLite take far more parameters. */
const IDS = 1_000;

/** Directories, tokens, and users and groups as they are listed and erased; cold paths only. */
export const scimStore = ({ db, dialect, tables }: StoreContext<ScimTables>) => {
  const { authScimDirectories: directories, authScimTokens: tokens } = tables;
  const { authScimUsers: users, authScimGroups: groups, authScimMembers: members } = tables;

  const isSqlite = dialect.name === 'sqlite';
  const text = (expression: SQL): FilterColumn => ({ expression, bind: (value) => sql`${value}` });
  const ofColumn = (column: (typeof users)['createdAt'] | (typeof groups)['createdAt']): FilterColumn => ({
    expression: sql`${column}`,
    bind: (value) => sql`${sql.param(new Date(Number(value)), column)}`,
  });
  /** An id is compared as text: a filter may hold any text. */
  const idText = (column: SQL): FilterColumn => text(isSqlite ? column : sql`cast(${column} as text)`);
  const bool = (expression: SQL): FilterColumn => ({
    expression,
    bind: (value) => (isSqlite ? sql`${Number(value)}` : sql`${Boolean(value)}`),
  });
  const member = (name: string): SQL => sql.raw(`e.value ->> '${name}'`);
  const primary = isSqlite ? member('primary') : sql.raw(`cast(e.value ->> 'primary' as boolean)`);
  const userColumns: FilterColumns = {
    dialect: dialect.name,
    fields: {
      id: idText(sql`${users.id}`),
      externalId: text(sql`${users.externalId}`),
      userName: text(sql`${users.userNameNorm}`),
      displayName: text(sql`${users.displayNameNorm}`),
      active: bool(sql`${users.active}`),
      created: ofColumn(users.createdAt),
      lastModified: ofColumn(users.updatedAt),
    },
    lists: {
      emails: {
        from: isSqlite ? sql`json_each(${users.emails}) as e` : sql`jsonb_array_elements(${users.emails}) as e(value)`,
        where: sql`true`,
        fields: { value: text(member('value')), type: text(member('type')), primary: bool(primary) },
      },
    },
  };
  const groupColumns: FilterColumns = {
    dialect: dialect.name,
    fields: {
      id: idText(sql`${groups.id}`),
      externalId: text(sql`${groups.externalId}`),
      displayName: text(sql`${groups.displayNameNorm}`),
      created: ofColumn(groups.createdAt),
      lastModified: ofColumn(groups.updatedAt),
    },
    lists: {
      members: {
        from: sql`${members} as m`,
        where: sql`m.scope_id = ${groups.scopeId} and m.group_id = ${groups.id}`,
        fields: { value: idText(sql.raw('m.user_id')) },
      },
    },
  };

  const isOfDirectory = (table: typeof tokens | typeof users | typeof groups, { scopeId, directoryId }: InDirectory) =>
    and(eq(table.scopeId, scopeId), eq(table.directoryId, directoryId));
  const usersMatching = (directory: InDirectory, condition: ScimCondition | null): SQL | undefined =>
    and(isOfDirectory(users, directory), condition === null ? undefined : conditionSql(condition, userColumns));
  const groupsMatching = (directory: InDirectory, condition: ScimCondition | null): SQL | undefined =>
    and(isOfDirectory(groups, directory), condition === null ? undefined : conditionSql(condition, groupColumns));

  const tokensMatching = (scopeId: number, { directoryId, fromMs, toMs }: TokenFilter): readonly SQL[] => [
    eq(tokens.scopeId, scopeId),
    ...(directoryId === null ? [] : [eq(tokens.directoryId, directoryId)]),
    ...(fromMs === null ? [] : [gte(tokens.createdAt, new Date(fromMs))]),
    ...(toMs === null ? [] : [lt(tokens.createdAt, new Date(toMs))]),
  ];

  return {
    listUsers: (
      directory: InDirectory,
      condition: ScimCondition | null,
      { startIndex, count: limit }: ScimPage,
    ): Promise<ScimUserRow[]> =>
      db
        .select()
        .from(users)
        .where(usersMatching(directory, condition))
        .orderBy(asc(users.id))
        .limit(limit)
        .offset(startIndex - 1),
    countUsers: async (directory: InDirectory, condition: ScimCondition | null): Promise<number> =>
      (await db.select({ count: count() }).from(users).where(usersMatching(directory, condition)))[0]?.count ?? 0,
    listGroups: (
      directory: InDirectory,
      condition: ScimCondition | null,
      { startIndex, count: limit }: ScimPage,
    ): Promise<ScimGroupRow[]> =>
      db
        .select()
        .from(groups)
        .where(groupsMatching(directory, condition))
        .orderBy(asc(groups.id))
        .limit(limit)
        .offset(startIndex - 1),
    countGroups: async (directory: InDirectory, condition: ScimCondition | null): Promise<number> =>
      (await db.select({ count: count() }).from(groups).where(groupsMatching(directory, condition)))[0]?.count ?? 0,
    /** Number of members of groups. */
    countMembers: async ({ scopeId }: InScope, groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      if (groupIds.length === 0) return new Map();
      const rows = await db
        .select({ groupId: members.groupId, count: count() })
        .from(members)
        .where(and(eq(members.scopeId, scopeId), inArray(members.groupId, [...groupIds])))
        .groupBy(members.groupId);
      return new Map(rows.map((row) => [row.groupId, row.count]));
    },
    /** Members of groups with their names, by id. */
    membersOf: async ({ scopeId }: InScope, groupIds: readonly string[]): Promise<ShownMember[]> => {
      if (groupIds.length === 0) return [];
      return db
        .select({ groupId: members.groupId, userId: members.userId, userName: users.userName })
        .from(members)
        .innerJoin(users, and(eq(users.scopeId, members.scopeId), eq(users.id, members.userId)))
        .where(and(eq(members.scopeId, scopeId), inArray(members.groupId, [...groupIds])))
        .orderBy(asc(members.groupId), asc(members.userId));
    },
    /** Groups of users with their names, by id. */
    groupsOf: async (
      { scopeId }: InScope,
      userIds: readonly string[],
    ): Promise<{ userId: string; groupId: string; displayName: string }[]> => {
      if (userIds.length === 0) return [];
      return db
        .select({ userId: members.userId, groupId: groups.id, displayName: groups.displayName })
        .from(members)
        .innerJoin(groups, and(eq(groups.scopeId, members.scopeId), eq(groups.id, members.groupId)))
        .where(and(eq(members.scopeId, scopeId), inArray(members.userId, [...userIds])))
        .orderBy(asc(members.userId), asc(groups.id));
    },
    /** Those of these ids that users of the directory have. */
    existingUsers: async ({ scopeId, directoryId }: InDirectory, ids: readonly string[]): Promise<Set<string>> => {
      const found = new Set<string>();
      for (let at = 0; at < ids.length; at += IDS) {
        const rows = await db
          .select({ id: users.id })
          .from(users)
          .where(
            and(
              eq(users.scopeId, scopeId),
              eq(users.directoryId, directoryId),
              inArray(users.id, ids.slice(at, at + IDS)),
            ),
          );
        for (const { id } of rows) found.add(id);
      }
      return found;
    },

    /** Those of these users that are members of a group. */
    memberIdsAmong: async (
      { scopeId, id }: Pick<ScimGroupRow, 'scopeId' | 'id'>,
      ids: readonly string[],
    ): Promise<string[]> => {
      const found: string[] = [];
      for (let at = 0; at < ids.length; at += IDS) {
        const rows = await db
          .select({ userId: members.userId })
          .from(members)
          .where(
            and(
              eq(members.scopeId, scopeId),
              eq(members.groupId, id),
              inArray(members.userId, ids.slice(at, at + IDS)),
            ),
          );
        found.push(...rows.map(({ userId }) => userId));
      }
      return found.toSorted();
    },

    directory: async ({ scopeId }: InScope, id: string): Promise<ScimDirectoryRow | null> =>
      (
        await db
          .select()
          .from(directories)
          .where(and(eq(directories.scopeId, scopeId), eq(directories.id, id)))
      )[0] ?? null,
    listDirectories: (
      { scopeId }: InScope,
      { fromMs, toMs }: TimeRange,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<ScimDirectoryRow[]> =>
      db
        .select()
        .from(directories)
        .where(
          and(
            eq(directories.scopeId, scopeId),
            fromMs === null ? undefined : gte(directories.createdAt, new Date(fromMs)),
            toMs === null ? undefined : lt(directories.createdAt, new Date(toMs)),
            after === null ? undefined : lt(directories.id, after),
          ),
        )
        .orderBy(desc(directories.id))
        .limit(limit),
    countDirectories: async ({ scopeId }: InScope, { fromMs, toMs }: TimeRange): Promise<number> =>
      (
        await db
          .select({ count: count() })
          .from(directories)
          .where(
            and(
              eq(directories.scopeId, scopeId),
              fromMs === null ? undefined : gte(directories.createdAt, new Date(fromMs)),
              toMs === null ? undefined : lt(directories.createdAt, new Date(toMs)),
            ),
          )
      )[0]?.count ?? 0,
    insertDirectory: async (row: ScimDirectoryRow): Promise<void> => {
      await db.insert(directories).values(row);
    },
    /** Null: there is none. */
    changeDirectory: async (
      { scopeId }: InScope,
      id: string,
      values: Partial<Pick<ScimDirectoryRow, 'name' | 'connectionId' | 'updatedAt'>>,
    ): Promise<ScimDirectoryRow | null> =>
      (
        await db
          .update(directories)
          .set(values)
          .where(and(eq(directories.scopeId, scopeId), eq(directories.id, id)))
          .returning()
      )[0] ?? null,
    /** False: there was none. */
    removeDirectory: async ({ scopeId }: InScope, id: string): Promise<boolean> =>
      (
        await db
          .delete(directories)
          .where(and(eq(directories.scopeId, scopeId), eq(directories.id, id)))
          .returning({ id: directories.id })
      ).length > 0,

    tokensOf: (directory: InDirectory): Promise<ScimTokenRow[]> =>
      db.select().from(tokens).where(isOfDirectory(tokens, directory)).orderBy(asc(tokens.id)),
    listTokens: (
      { scopeId }: InScope,
      filter: TokenFilter,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<ScimTokenRow[]> =>
      db
        .select()
        .from(tokens)
        .where(and(...tokensMatching(scopeId, filter), after === null ? undefined : lt(tokens.id, after)))
        .orderBy(desc(tokens.id))
        .limit(limit),
    countTokens: async ({ scopeId }: InScope, filter: TokenFilter): Promise<number> =>
      (
        await db
          .select({ count: count() })
          .from(tokens)
          .where(and(...tokensMatching(scopeId, filter)))
      )[0]?.count ?? 0,
    insertToken: async (row: ScimTokenRow): Promise<void> => {
      await db.insert(tokens).values(row);
    },
    noteUse: async ({ scopeId, id }: Pick<ScimTokenRow, 'scopeId' | 'id'>, lastUsedAt: Date): Promise<void> => {
      await db
        .update(tokens)
        .set({ lastUsedAt })
        .where(and(eq(tokens.scopeId, scopeId), eq(tokens.id, id)));
    },
    /** Null: there was none. */
    removeToken: async ({ scopeId }: InScope, id: string): Promise<ScimTokenRow | null> =>
      (
        await db
          .delete(tokens)
          .where(and(eq(tokens.scopeId, scopeId), eq(tokens.id, id)))
          .returning()
      )[0] ?? null,
    removeTokensOf: async (directory: InDirectory): Promise<void> => {
      await db.delete(tokens).where(isOfDirectory(tokens, directory));
    },
    /** Deletes some users and groups of a directory with the memberships. True: there are more. */
    removeSomeOf: async (directory: InDirectory, limit: number): Promise<boolean> => {
      const { scopeId } = directory;
      const someGroups = await db
        .select({ id: groups.id })
        .from(groups)
        .where(isOfDirectory(groups, directory))
        .limit(limit);
      const someUsers = await db
        .select({ id: users.id })
        .from(users)
        .where(isOfDirectory(users, directory))
        .limit(limit);
      const groupIds = someGroups.map(({ id }) => id);
      const userIds = someUsers.map(({ id }) => id);
      if (groupIds.length + userIds.length === 0) return false;
      await db
        .delete(members)
        .where(
          and(eq(members.scopeId, scopeId), or(inArray(members.groupId, groupIds), inArray(members.userId, userIds))),
        );
      await db.delete(groups).where(and(eq(groups.scopeId, scopeId), inArray(groups.id, groupIds)));
      await db.delete(users).where(and(eq(users.scopeId, scopeId), inArray(users.id, userIds)));
      return true;
    },
    /** Deletes the SCIM users of accounts with their memberships. Returns the number of deleted rows. */
    erase: async ({ scopeId }: InScope, accountIds: readonly string[]): Promise<number> => {
      if (accountIds.length === 0) return 0;
      const found = await db
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.scopeId, scopeId), inArray(users.accountId, [...accountIds])));
      const ids = found.map(({ id }) => id);
      if (ids.length === 0) return 0;
      const memberships = await db
        .delete(members)
        .where(and(eq(members.scopeId, scopeId), inArray(members.userId, ids)))
        .returning({ userId: members.userId });
      const removed = await db
        .delete(users)
        .where(and(eq(users.scopeId, scopeId), inArray(users.id, ids)))
        .returning({ id: users.id });
      return memberships.length + removed.length;
    },
  };
};

export type ScimStore = ReturnType<typeof scimStore>;
