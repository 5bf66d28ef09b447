import { bulkSelect } from '../../database/statements/bulk.ts';
import type { AuthSettingsTables } from './tables.ts';

/** The statement that every environment with sign-in runs once in 10 s. */
export const authSettingsStatements = ({ authSettings }: AuthSettingsTables) => ({
  ofScope: bulkSelect('auth.settings', authSettings, ['scopeId'], ['scopeId', 'settings', 'captchaSealed']),
});
