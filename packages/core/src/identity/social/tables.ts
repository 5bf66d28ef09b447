import type { Columns } from '../../database/columns.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import type { ProviderExtra } from './bodies.ts';

/** Apps that operators registered with social providers. */
export const socialTables = (c: Columns) => ({
  authSocialProviders: c.table(
    'auth_social_providers',
    {
      scopeId: c.scope('scope_id').notNull(),
      provider: c.text('provider').$type<SocialProvider>().notNull(),
      enabled: c.bool('enabled').notNull(),
      clientId: c.text('client_id').notNull(),
      /** Client secret, sealed; null: none, as after a restored backup without secrets. */
      sealed: c.text('sealed'),
      /** Requested in addition to those of the provider. */
      scopes: c.json<readonly string[]>('scopes').notNull(),
      /** Public facts that only some providers need. */
      extra: c.json<ProviderExtra>('extra').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.provider] })],
  ),
});

export type SocialTables = ReturnType<typeof socialTables>;
