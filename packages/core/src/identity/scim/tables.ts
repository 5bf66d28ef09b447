import type { Columns } from '../../database/columns.ts';
import type { ScimObject } from './documents.ts';

/** An email address as filters compare it: without regard to case. */
export type FoldedEmail = { readonly value?: string; readonly type?: string; readonly primary?: boolean };

/** Directories that provision users by SCIM, with their tokens, users and groups. */
export const scimTables = (c: Columns) => ({
  authScimDirectories: c.table(
    'auth_scim_directories',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      name: c.text('name').notNull(),
      /** Connection with which the users of the directory sign in; null: none is named. */
      connectionId: c.id('connection_id'),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
  authScimTokens: c.table(
    'auth_scim_tokens',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      directoryId: c.id('directory_id').notNull(),
      /** SHA-256 in hex. */
      hash: c.text('hash').notNull(),
      /** Last four characters, so that people recognize a token. */
      last4: c.text('last4').notNull(),
      createdAt: c.time('created_at').notNull(),
      expiresAt: c.time('expires_at').notNull(),
      /** At most an hour old. */
      lastUsedAt: c.time('last_used_at'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      // A request names its environment by the token alone.
      c.unique('auth_scim_tokens_hash').on(t.hash),
      c.index('auth_scim_tokens_directory').on(t.scopeId, t.directoryId, t.id),
    ],
  ),
  authScimUsers: c.table(
    'auth_scim_users',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      directoryId: c.id('directory_id').notNull(),
      accountId: c.id('account_id').notNull(),
      externalId: c.text('external_id'),
      userName: c.text('user_name').notNull(),
      userNameNorm: c.text('user_name_norm').notNull(),
      displayNameNorm: c.text('display_name_norm'),
      active: c.bool('active').notNull(),
      emails: c.json<readonly FoldedEmail[]>('emails').notNull(),
      /** Attributes as the directory sent them, without `schemas`, `id`, `meta` and `groups`. */
      document: c.json<ScimObject>('document').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      /** Incremented by every change; the ETag. */
      version: c.int('version').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_scim_users_name').on(t.scopeId, t.directoryId, t.userNameNorm),
      c.unique('auth_scim_users_account').on(t.scopeId, t.accountId),
      c.index('auth_scim_users_page').on(t.scopeId, t.directoryId, t.id),
      c.index('auth_scim_users_external').on(t.scopeId, t.directoryId, t.externalId),
    ],
  ),
  authScimGroups: c.table(
    'auth_scim_groups',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      directoryId: c.id('directory_id').notNull(),
      externalId: c.text('external_id'),
      displayName: c.text('display_name').notNull(),
      displayNameNorm: c.text('display_name_norm').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      version: c.int('version').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      // Names of groups need not be unique.
      c.unique('auth_scim_groups_name').on(t.scopeId, t.directoryId, t.displayNameNorm, t.id),
      c.index('auth_scim_groups_page').on(t.scopeId, t.directoryId, t.id),
    ],
  ),
  authScimMembers: c.table(
    'auth_scim_members',
    {
      scopeId: c.scope('scope_id').notNull(),
      groupId: c.id('group_id').notNull(),
      /** Id of the SCIM user. */
      userId: c.id('user_id').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.groupId, t.userId] }),
      c.index('auth_scim_members_user').on(t.scopeId, t.userId, t.groupId),
    ],
  ),
});

export type ScimTables = ReturnType<typeof scimTables>;
