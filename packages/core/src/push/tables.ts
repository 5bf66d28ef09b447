import type { Environment } from '../primitives/scope.ts';
import type { Columns } from '../storage/columns.ts';
import type { ApnsEnvironment, Platform } from '../transports/port.ts';

/** Devices that can be reached by push. */
export const pushTables = (c: Columns) => ({
  pushTokens: c.table(
    'push_tokens',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      environment: c.text('environment').$type<Environment>().notNull(),
      id: c.text('id').notNull(),
      /** Digest of what tells devices apart (`tokenKey`): endpoints are too long for an index of PostgreSQL. */
      tokenKey: c.text('token_key').notNull(),
      /** Null: nobody was named. */
      person: c.text('person'),
      platform: c.text('platform').$type<Platform>().notNull(),
      token: c.text('token').notNull(),
      locale: c.text('locale'),
      timezone: c.text('timezone'),
      appVersion: c.text('app_version'),
      apnsEnvironment: c.text('apns_environment').$type<ApnsEnvironment>(),
      isActive: c.bool('is_active').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      /** When the device last reported this token: what a provider says of an earlier moment no longer holds. */
      registeredAt: c.time('registered_at').notNull(),
      /** Code of the answer that made the token inactive. */
      lastError: c.text('last_error'),
    },
    (t) => [
      c.primaryKey({ columns: [t.orgId, t.projectId, t.environment, t.id] }),
      // One device is one row of its org: registered under another project or environment, the row moves there.
      c.unique('push_tokens_token').on(t.orgId, t.tokenKey),
      c.index('push_tokens_person').on(t.orgId, t.projectId, t.environment, t.person, t.isActive, t.id),
    ],
  ),
});

export type PushTables = ReturnType<typeof pushTables>;
