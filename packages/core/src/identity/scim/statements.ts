import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { ScimTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const NAMED = [...SCOPE, 'directoryId', 'userNameNorm'] as const;
const MEMBER = [...SCOPE, 'groupId', 'userId'] as const;

const TOKEN = [...KEY, 'directoryId', 'hash', 'last4', 'createdAt', 'expiresAt', 'lastUsedAt'] as const;
const USER_VALUES = ['externalId', 'userName', 'userNameNorm', 'displayNameNorm', 'active', 'emails'] as const;
const USER = [
  ...KEY,
  ...USER_VALUES,
  ...(['directoryId', 'accountId', 'document', 'createdAt', 'updatedAt', 'version'] as const),
] as const;
const GROUP = [
  ...KEY,
  ...(['directoryId', 'externalId', 'displayName', 'displayNameNorm', 'createdAt', 'updatedAt', 'version'] as const),
] as const;

/** The statements of SCIM. */
export const scimStatements = ({ authScimTokens, authScimUsers, authScimGroups, authScimMembers }: ScimTables) => ({
  /** Of two users with one name in a directory, one fails. */
  insertUser: bulkInsert('auth.insert_scim_user', authScimUsers, USER, {
    conflict: { target: NAMED },
    isGuarded: true,
  }),
  changeUser: bulkUpdate('auth.change_scim_user', authScimUsers, {
    where: [...KEY, 'version'],
    set: {
      externalId: 'value',
      userName: 'value',
      userNameNorm: 'value',
      displayNameNorm: 'value',
      active: 'value',
      emails: 'value',
      document: 'value',
      updatedAt: 'value',
      version: 'increment',
    },
    isGuarded: true,
  }),
  removeUser: bulkDelete('auth.remove_scim_user', authScimUsers, { where: [...KEY, 'version'], isGuarded: true }),
  insertGroup: bulkInsert('auth.insert_scim_group', authScimGroups, GROUP),
  /** A change of the name or of members. */
  changeGroup: bulkUpdate('auth.change_scim_group', authScimGroups, {
    where: [...KEY, 'version'],
    set: {
      externalId: 'value',
      displayName: 'value',
      displayNameNorm: 'value',
      updatedAt: 'value',
      version: 'increment',
    },
    isGuarded: true,
  }),
  removeGroup: bulkDelete('auth.remove_scim_group', authScimGroups, { where: [...KEY, 'version'], isGuarded: true }),
  removeMember: bulkDelete('auth.remove_scim_member', authScimMembers, { where: MEMBER }),
  removeMembersOfGroup: bulkDelete('auth.remove_scim_members', authScimMembers, { where: [...SCOPE, 'groupId'] }),
  removeMembershipsOfUser: bulkDelete('auth.remove_scim_memberships', authScimMembers, { where: [...SCOPE, 'userId'] }),
  insertMember: bulkInsert('auth.insert_scim_member', authScimMembers, MEMBER, { conflict: { target: MEMBER } }),

  tokenByHash: bulkSelect('auth.scim_token', authScimTokens, ['hash'], TOKEN),
  userById: bulkSelect('auth.scim_user', authScimUsers, KEY, USER),
  userByName: bulkSelect('auth.scim_user_by_name', authScimUsers, NAMED, USER),
  userByAccount: bulkSelect('auth.scim_user_by_account', authScimUsers, [...SCOPE, 'accountId'], USER),
  groupById: bulkSelect('auth.scim_group', authScimGroups, KEY, GROUP),
  membersOf: bulkSelect('auth.scim_members', authScimMembers, [...SCOPE, 'groupId'], MEMBER),
  membershipsOf: bulkSelect('auth.scim_memberships', authScimMembers, [...SCOPE, 'userId'], MEMBER),
});
