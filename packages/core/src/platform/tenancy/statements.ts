import { bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { TenancyTables } from './tables.ts';

const PROJECT = ['orgId', 'projectId'] as const;
const SCOPE = ['id', ...PROJECT, 'environment', 'projectKey'] as const;

/** Statements of the key look-up, on which every request with an uncached key waits. */
export const tenancyStatements = (t: TenancyTables) => ({
  keyByHash: bulkSelect(
    'tenancy.key_by_hash',
    t.apiKeys,
    ['hash'],
    ['id', 'hash', 'kind', 'environment', 'scopes', 'expiresAt', 'revokedAt', 'lastUsedAt'],
  ),
  grantsByKey: bulkSelect('tenancy.grants_by_key', t.apiKeyGrants, ['keyId'], ['orgId', 'projectId']),
  projectByName: bulkSelect('tenancy.project_by_name', t.projects, PROJECT, [...PROJECT, 'projectKey']),
  scopesById: bulkSelect('tenancy.scopes_by_id', t.scopes, ['id'], SCOPE),
  scopeByName: bulkSelect('tenancy.scope_by_name', t.scopes, [...PROJECT, 'environment'], SCOPE),
  scopesOfOrg: bulkSelect('tenancy.scopes_of_org', t.scopes, ['orgId', 'environment'], SCOPE),
  noteUse: bulkUpdate('tenancy.note_use', t.apiKeys, { where: ['id'], set: { lastUsedAt: 'greatest' } }),
});

export type TenancyStatements = ReturnType<typeof tenancyStatements>;
