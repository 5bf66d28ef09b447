import {
  type Beckon,
  BeckonError,
  CHANNELS,
  type KeyScope,
  notFound,
  type Principal,
  scopeRequired,
} from '@beckon/core';
import type { OrgRoute, ProjectRoute } from '../route.ts';

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
  const projects = await tenancy.listProjects({ orgId });
  if (projects.every(({ id }) => granted.has(id))) return;
  throw new BeckonError(
    'FORBIDDEN',
    'The setting applies to all projects of the organization, and the API key covers only some. Use a key with a grant for the whole organization.',
  );
};
