import type { Columns } from '../../database/columns.ts';
import type { ApnsEnvironment, Platform } from '../../foundation/device-platform.ts';

/** Devices that can be reached by push. */
export const pushTables = (c: Columns) => ({
  pushTokens: c.table(
    'push_tokens',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** Digest of the org and what tells its devices apart (`tokenKey`); endpoints are too long for an index. */
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
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('push_tokens_token').on(t.scopeId, t.tokenKey),
      // In the order of ids, so that SQLite does not read the tokens of everybody in that order instead.
      c.index('push_tokens_person').on(t.scopeId, t.person, t.id, t.isActive),
    ],
  ),
  /**
   * The scope that has a device. Registering the device in another project or environment of its org moves it there, so
   * this key spans scopes. The digest covers the org, so a device of another org has another row.
   */
  tokenOwners: c.table('token_owners', {
    tokenKey: c.text('token_key').primaryKey(),
    scopeId: c.scope('scope_id').notNull(),
    /** Of the row in `push_tokens`. */
    id: c.id('id').notNull(),
  }),
});

export type PushTables = ReturnType<typeof pushTables>;
