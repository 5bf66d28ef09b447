import { bulkSelect } from '../../database/statements/bulk.ts';
import type { HashConfigTables } from './tables.ts';

/** The statement that every environment with sign-ins runs once in 10 s. */
export const hashConfigStatements = ({ authHashConfigs }: HashConfigTables) => ({
  ofScope: bulkSelect(
    'auth.hash_configs',
    authHashConfigs,
    ['scopeId'],
    ['scopeId', 'id', 'standIn', 'sealed', 'createdAt'],
  ),
});
