import { bulkSelect } from '../../database/statements/bulk.ts';
import type { CredentialTables } from './tables.ts';

const CHANNEL = ['scopeId', 'channel'] as const;

/** The statement that every send of `prod` asks once in 10 s. */
export const credentialStatements = ({ credentials }: CredentialTables) => ({
  configured: bulkSelect(
    'credentials.configured',
    credentials,
    CHANNEL,
    [...CHANNEL, 'provider', 'version'],
    (column) => `${column('sealed')} is not null`,
  ),
});

export type CredentialStatements = ReturnType<typeof credentialStatements>;
