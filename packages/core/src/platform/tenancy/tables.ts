import type { Columns } from '../../database/columns.ts';
import type { KeyScope } from './scopes.ts';

/** Organizations, their projects, and their API keys. */
export const tenancyTables = (c: Columns) => ({
  orgs: c.table('orgs', {
    orgId: c.text('org_id').primaryKey(),
    name: c.text('name').notNull(),
    plan: c.text('plan').notNull(),
    createdAt: c.time('created_at').notNull(),
  }),
  projects: c.table(
    'projects',
    {
      /** Key of the project in rows of its definitions. */
      projectKey: c.serial('project_key'),
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      name: c.text('name').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.unique('projects_name').on(t.orgId, t.projectId)],
  ),
  /** Key of a project's environment in its rows. Never changed, never deleted. */
  scopes: c.table(
    'scopes',
    {
      id: c.serial('id'),
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      environment: c.environment('environment').notNull(),
      projectKey: c.scope('project_key').notNull(),
    },
    (t) => [c.unique('scopes_name').on(t.orgId, t.projectId, t.environment)],
  ),
  /**
   * A key belongs to the organizations of its grants; it is looked up by hash, and the grants are compared afterwards.
   */
  apiKeys: c.table(
    'api_keys',
    {
      id: c.text('id').primaryKey(),
      hash: c.text('hash').notNull(),
      lastFour: c.text('last_four').notNull(),
      kind: c.text('kind').notNull(),
      environment: c.environment('environment').notNull(),
      name: c.text('name').notNull(),
      scopes: c.json<KeyScope[]>('scopes').notNull(),
      createdAt: c.time('created_at').notNull(),
      expiresAt: c.time('expires_at'),
      revokedAt: c.time('revoked_at'),
      lastUsedAt: c.time('last_used_at'),
    },
    (t) => [c.unique('api_keys_hash').on(t.hash)],
  ),
  apiKeyGrants: c.table(
    'api_key_grants',
    {
      orgId: c.text('org_id').notNull(),
      /** A project of the organization, or `*` for all of them. */
      projectId: c.text('project_id').notNull(),
      keyId: c.text('key_id').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.projectId, t.keyId] }), c.index('api_key_grants_key').on(t.keyId)],
  ),
  /**
   * One data key per organization, and one (org `-`) for the deployment's own secrets; each wrapped by a master key.
   */
  dataKeys: c.table(
    'data_keys',
    {
      orgId: c.text('org_id').notNull(),
      kid: c.text('kid').notNull(),
      wrapped: c.text('wrapped').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.kid] })],
  ),
  /** Sealed values: signing secrets of projects, credentials of providers. */
  secrets: c.table(
    'secrets',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      environment: c.text('environment').notNull(),
      name: c.text('name').notNull(),
      sealed: c.text('sealed').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.projectId, t.environment, t.name] })],
  ),
});

export type TenancyTables = ReturnType<typeof tenancyTables>;
