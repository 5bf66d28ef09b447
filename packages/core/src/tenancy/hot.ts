import { bulkSelect, bulkUpdate } from '../storage/bulk.ts';
import type { TenancyTables } from './tables.ts';

/** Statements of the key look-up, which every request of a key that is not cached waits for. */
export const tenancyHot = (t: TenancyTables) => ({
  keyByHash: bulkSelect(
    'tenancy.key_by_hash',
    t.apiKeys,
    ['hash'],
    ['id', 'hash', 'kind', 'environment', 'scopes', 'expiresAt', 'revokedAt', 'lastUsedAt'],
  ),
  grantsByKey: bulkSelect('tenancy.grants_by_key', t.apiKeyGrants, ['keyId'], ['orgId', 'projectId']),
  projectById: bulkSelect('tenancy.project_by_id', t.projects, ['orgId', 'projectId'], ['projectId']),
  noteUse: bulkUpdate('tenancy.note_use', t.apiKeys, { where: ['id'], set: { lastUsedAt: 'greatest' } }),
});

export type TenancyHot = ReturnType<typeof tenancyHot>;
