import { bulkSelect } from '../../database/statements/bulk.ts';
import type { SocialTables } from './tables.ts';

/** The statement that every environment with social sign-in runs once in 10 s. */
export const socialStatements = ({ authSocialProviders }: SocialTables) => ({
  ofScope: bulkSelect(
    'auth.social_providers',
    authSocialProviders,
    ['scopeId'],
    ['scopeId', 'provider', 'enabled', 'clientId', 'sealed', 'scopes', 'extra', 'updatedAt'],
  ),
});
