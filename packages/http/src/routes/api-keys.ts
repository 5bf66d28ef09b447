import { succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import type { OrgRoute } from '../route.ts';

/**
 * The keys of the org that the caller's own grants cover, of its environment: without their secrets and without what
 * they may do elsewhere. Source: contract, Conventions.
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
