import type { Columns } from '../../database/columns.ts';
import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';

/** Devices that push can reach. */
export const pushTables = (c: Columns) => ({
  pushTokens: c.table(
    'push_tokens',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** Hash of the organization and the device (`tokenKey`); endpoints are too long for an index. */
      tokenKey: c.text('token_key').notNull(),
      /** Null: no user named. */
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
      /** When the device last registered this token; provider reports about earlier times are ignored. */
      registeredAt: c.time('registered_at').notNull(),
      /** Code of the provider answer that made the token inactive. */
      lastError: c.text('last_error'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('push_tokens_token').on(t.scopeId, t.tokenKey),
      // Includes the id, because SQLite would otherwise scan the tokens of all users in id order.
      c.index('push_tokens_person').on(t.scopeId, t.person, t.id, t.isActive),
    ],
  ),
  /**
   * The scope that owns a device. A registration in another project or environment of the organization moves the
   * device, so this key spans scopes. The hash includes the organization, so another organization's device has its own
   * row.
   */
  tokenOwners: c.table('token_owners', {
    tokenKey: c.text('token_key').primaryKey(),
    scopeId: c.scope('scope_id').notNull(),
    /** Id of the row in `push_tokens`. */
    id: c.id('id').notNull(),
  }),
});

export type PushTables = ReturnType<typeof pushTables>;
