import { bulkSelect } from '../../database/statements/bulk.ts';
import type { CredentialTables } from './tables.ts';

const CHANNEL = ['scopeId', 'channel'] as const;

/** Runs at most once in 10 s for the sends of `prod`. */
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
