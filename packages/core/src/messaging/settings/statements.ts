import { bulkSelect } from '../../database/statements/bulk.ts';
import type { SettingsTables } from './tables.ts';

/** The statement that every sending scope runs once in 10 s. */
export const settingsStatements = ({ settings }: SettingsTables) => ({
  ofScope: bulkSelect('settings.of_scope', settings, ['scopeId'], ['scopeId', 'name', 'value']),
});
