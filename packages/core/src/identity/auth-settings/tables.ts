import type { Columns } from '../../database/columns.ts';

/** Sign-in settings, one row per environment that has changed any. */
export const authSettingsTables = (c: Columns) => ({
  authSettings: c.table(
    'auth_settings',
    {
      scopeId: c.scope('scope_id').notNull(),
      settings: c.json<Readonly<Record<string, unknown>>>('settings').notNull(),
      /** Secret of the captcha, sealed; null: none. */
      captchaSealed: c.text('captcha_sealed'),
      version: c.int('version').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId] })],
  ),
});

export type AuthSettingsTables = ReturnType<typeof authSettingsTables>;
