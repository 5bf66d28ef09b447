// Users and groups of directories that provision by SCIM. Every change is guarded by the version that was read.

import { type Write, write } from '../../database/commit/write-set.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ScimGroupRow, ScimTokenRow, ScimUserRow } from './rows.ts';
import { scimStatements } from './statements.ts';
import { type InDirectory, type ScimStore, scimStore } from './store.ts';
import type { ScimTables } from './tables.ts';

export type ScimPlatform = Platform<ScimTables>;

/** Values of a user that follow from its attributes. */
export type ScimUserValues = Pick<
  ScimUserRow,
  'externalId' | 'userName' | 'userNameNorm' | 'displayNameNorm' | 'active' | 'emails' | 'document'
>;
export type ScimGroupValues = Pick<ScimGroupRow, 'externalId' | 'displayName' | 'displayNameNorm'>;

/** Names of groups that a token lists. Source: authentication design, Claim templates. */
const MAX_GROUP_NAMES = 50;

export type Scim = ScimStore & {
  /** Null: no environment has this token. It may have expired. */
  tokenByHash(hash: string): Promise<ScimTokenRow | null>;
  /** Null: the directory has no such user. */
  userById(directory: InDirectory, id: string): Promise<ScimUserRow | null>;
  userByName(directory: InDirectory, userNameNorm: string): Promise<ScimUserRow | null>;
  /** A user of any directory of the environment. */
  userByAccount(scope: InScope, accountId: string): Promise<ScimUserRow | null>;
  /** Null: the directory has no such group. */
  groupById(directory: InDirectory, id: string): Promise<ScimGroupRow | null>;
  memberIdsOf(group: Pick<ScimGroupRow, 'scopeId' | 'id'>): Promise<readonly string[]>;
  /** Names of the groups of an account in the order of the alphabet, at most 50: `{{scim.groups}}` of claims. */
  groupNamesOf(scope: InScope, accountId: string): Promise<readonly string[]>;

  /** A new user, not yet written. */
  draftUser(scope: Scope, directoryId: string, accountId: string, values: ScimUserValues, now: Date): ScimUserRow;
  insertUser(row: ScimUserRow): Write;
  changeUser(row: ScimUserRow, values: ScimUserValues, now: Date): { readonly row: ScimUserRow; readonly write: Write };
  removeUser(row: ScimUserRow): readonly Write[];
  draftGroup(scope: Scope, directoryId: string, values: ScimGroupValues, now: Date): ScimGroupRow;
  insertGroup(row: ScimGroupRow): Write;
  changeGroup(
    row: ScimGroupRow,
    values: ScimGroupValues,
    now: Date,
  ): { readonly row: ScimGroupRow; readonly write: Write };
  removeGroup(row: ScimGroupRow): readonly Write[];
  addMember(group: Pick<ScimGroupRow, 'scopeId' | 'id'>, userId: string): Write;
  removeMember(group: Pick<ScimGroupRow, 'scopeId' | 'id'>, userId: string): Write;
};

const GUARD = 'scim';

export const scimEngine = ({ storage, tables, ids }: Pick<ScimPlatform, 'storage' | 'tables' | 'ids'>): Scim => {
  const hot = scimStatements(tables);
  const store = scimStore({ db: storage.db, dialect: storage.dialect, tables });
  const inDirectory = <Row extends InDirectory>(row: Row | undefined, { directoryId }: InDirectory): Row | null =>
    row?.directoryId === directoryId ? row : null;
  const userByAccount: Scim['userByAccount'] = async ({ scopeId }, accountId) =>
    (await storage.select(hot.userByAccount, [[scopeId, accountId]]))[0] ?? null;
  const keyOf = (row: InScope & { readonly id: string; readonly version: number }) => ({
    ...scopeOf(row),
    ...{ id: row.id, version: row.version },
  });
  return {
    ...store,
    tokenByHash: async (hash) => (await storage.select(hot.tokenByHash, [[hash]]))[0] ?? null,
    userById: async (directory, id) =>
      inDirectory((await storage.select(hot.userById, [[directory.scopeId, id]]))[0], directory),
    userByName: async ({ scopeId, directoryId }, userNameNorm) =>
      (await storage.select(hot.userByName, [[scopeId, directoryId, userNameNorm]]))[0] ?? null,
    userByAccount,
    groupById: async (directory, id) =>
      inDirectory((await storage.select(hot.groupById, [[directory.scopeId, id]]))[0], directory),
    memberIdsOf: async ({ scopeId, id }) =>
      (await storage.select(hot.membersOf, [[scopeId, id]])).map(({ userId }) => userId).toSorted(),
    groupNamesOf: async (scope, accountId) => {
      const user = await userByAccount(scope, accountId);
      if (user === null) return [];
      const memberships = await storage.select(hot.membershipsOf, [[scope.scopeId, user.id]]);
      if (memberships.length === 0) return [];
      const groups = await storage.select(
        hot.groupById,
        memberships.map(({ groupId }) => [scope.scopeId, groupId]),
      );
      const names = groups.map(({ displayName }) => displayName);
      return names.toSorted((a, b) => (a < b ? -1 : Number(a > b))).slice(0, MAX_GROUP_NAMES);
    },
    draftUser: (scope, directoryId, accountId, values, now) => ({
      ...scopeOf(scope),
      ...{ id: ids.next(), directoryId, accountId, ...values, createdAt: now, updatedAt: now, version: 1 },
    }),
    insertUser: (row) => write(hot.insertUser, row, GUARD),
    changeUser: (row, values, now) => {
      const next = { ...row, ...values, updatedAt: now };
      return { row: { ...next, version: row.version + 1 }, write: write(hot.changeUser, next, GUARD) };
    },
    removeUser: (row) => [
      write(hot.removeUser, keyOf(row), GUARD),
      write(hot.removeMembershipsOfUser, { ...scopeOf(row), userId: row.id }),
    ],
    draftGroup: (scope, directoryId, values, now) => ({
      ...scopeOf(scope),
      ...{ id: ids.next(), directoryId, ...values, createdAt: now, updatedAt: now, version: 1 },
    }),
    insertGroup: (row) => write(hot.insertGroup, row),
    changeGroup: (row, values, now) => {
      const next = { ...row, ...values, updatedAt: now };
      return { row: { ...next, version: row.version + 1 }, write: write(hot.changeGroup, next, GUARD) };
    },
    removeGroup: (row) => [
      write(hot.removeGroup, keyOf(row), GUARD),
      write(hot.removeMembersOfGroup, { ...scopeOf(row), groupId: row.id }),
    ],
    addMember: (group, userId) => write(hot.insertMember, { ...scopeOf(group), groupId: group.id, userId }),
    removeMember: (group, userId) => write(hot.removeMember, { ...scopeOf(group), groupId: group.id, userId }),
  };
};
