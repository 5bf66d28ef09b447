import { type ApiKey, type Page, validationError } from '@beckon/core';
import { succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import type { OrgRoute } from '../route.ts';

type Query = { readonly limit: number; readonly cursor?: string | undefined };

const cursorOf = (orgId: string, last: ApiKey): string => Buffer.from(`${orgId}/${last.id}`).toString('base64url');

/** An organization has few keys, so all are read and the page is cut here. */
const pageOf = (keys: readonly ApiKey[], orgId: string, { limit, cursor }: Query): Page<ApiKey> => {
  const start = cursor === undefined ? 0 : keys.findIndex((key) => cursorOf(orgId, key) === cursor) + 1;
  if (cursor !== undefined && start === 0)
    throw validationError({ cursor: ['must be the nextCursor of an earlier page of this list'] });
  const data = keys.slice(start, start + limit);
  const last = data.at(-1);
  const hasMore = start + limit < keys.length;
  return { data, pagination: { limit, hasMore, nextCursor: hasMore && last ? cursorOf(orgId, last) : null } };
};

/**
 * API keys of the organization that the caller's own grants cover, in its environment: without secrets and without
 * grants
 * elsewhere. Source: contract, Conventions.
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
    run: async (beckon, { orgId, query, principal: reader }) => {
      const page = readQuery(query, pageQuery);
      return succeedWithPage(pageOf(await beckon.tenancy.listKeys({ orgId, reader }), orgId, page));
    },
  },
];
