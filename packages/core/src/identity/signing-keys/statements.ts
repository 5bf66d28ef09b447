import { bulkSelect } from '../../database/statements/bulk.ts';
import type { SigningKeyTables } from './tables.ts';

/** The statement that every environment that signs or verifies tokens runs once in 10 s. */
export const signingKeyStatements = ({ authSigningKeys }: SigningKeyTables) => ({
  ofScope: bulkSelect(
    'auth.signing_keys',
    authSigningKeys,
    ['scopeId'],
    ['scopeId', 'kid', 'alg', 'state', 'publicJwk', 'sealed', 'activateAt', 'retireAt', 'createdAt'],
  ),
});
