import {
  type Beckon,
  BeckonError,
  CHANNELS,
  type KeyScope,
  notFound,
  type Page,
  type Principal,
  type Project,
  scopeRequired,
} from '@beckon/core';
import type { OrgRoute, ProjectRoute } from '../route.ts';

/** Rows of a page. Source: contract, Conventions (the maximum). */
const PAGE = 200;

const requiredScope = (route: OrgRoute | ProjectRoute, query: URLSearchParams): KeyScope => {
  if (!route.isScopedByChannel) return route.scope;
  const channel = CHANNELS.find((one) => one === query.get('channel'));
  return channel === undefined ? route.scope : `${channel}:read`;
};

/**
 * Admits a key that may call the route.
 *
 * @throws BeckonError NOT_FOUND for a key of an environment that the route does not serve; scope_required
 */
export const admit = (principal: Principal, route: OrgRoute | ProjectRoute, query: URLSearchParams): void => {
  if (route.environment !== undefined && route.environment !== principal.environment) throw notFound();
  const scope = requiredScope(route, query);
  if (!principal.scopes.has(scope)) throw scopeRequired(scope);
};

const ALL_PROJECTS = '*';

/** True if these are all projects of the organization. Reads no further than the first page with another one. */
const coversAll = async (
  { listProjects }: Pick<Beckon['tenancy'], 'listProjects'>,
  orgId: string,
  granted: ReadonlySet<string>,
): Promise<boolean> => {
  let cursor: string | null = null;
  do {
    const page: Page<Project> = await listProjects({ orgId, limit: PAGE, cursor: cursor ?? undefined });
    if (!page.data.every(({ id }) => granted.has(id))) return false;
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
  return true;
};

/**
 * Admits a key that covers every project of the organization: settings of all projects are not one project's to change.
 *
 * @throws BeckonError FORBIDDEN
 */
export const admitWholeOrg = async (
  { tenancy }: Pick<Beckon, 'tenancy'>,
  { grants }: Principal,
  orgId: string,
): Promise<void> => {
  const granted = new Set(grants.flatMap((grant) => (grant.orgId === orgId ? [grant.projectId] : [])));
  if (granted.has(ALL_PROJECTS)) return;
  if (await coversAll(tenancy, orgId, granted)) return;
  throw new BeckonError(
    'FORBIDDEN',
    'The setting applies to all projects of the organization, and the API key covers only some. Use a key with a grant for the whole organization.',
  );
};
