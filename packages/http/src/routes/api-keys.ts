import { succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import type { OrgRoute } from '../route.ts';

/**
 * API keys of the organization that the caller's own grants cover, in its environment: without secrets and without
 * grants elsewhere. Source: contract, Conventions.
 */
export const apiKeyRoutes: readonly OrgRoute[] = [
  {
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    description: 'Keys whose grants are within those of the caller. Secrets are not returned.',
    answer: { page: 'ApiKey' },
    query: pageQuery,
    shape: 'both',
    kind: 'secret',
    scope: 'keys:read',
    needs: 'org',
    bodyCap: null,
    run: async (beckon, { orgId, query, principal: reader }) =>
      succeedWithPage(await beckon.tenancy.listKeys({ orgId, reader, ...readQuery(query, pageQuery) })),
  },
];
