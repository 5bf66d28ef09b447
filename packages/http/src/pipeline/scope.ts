import { CHANNELS, type KeyScope, notFound, type Principal, scopeRequired } from '@beckon/core';
import type { OrgRoute, ProjectRoute } from '../route.ts';

const requiredScope = (route: OrgRoute | ProjectRoute, query: URLSearchParams): KeyScope => {
  if (!route.isScopedByChannel) return route.scope;
  const channel = CHANNELS.find((one) => one === query.get('channel'));
  return channel === undefined ? route.scope : `${channel}:read`;
};

/**
 * Lets a key pass that may call the route.
 *
 * @throws BeckonError NOT_FOUND for a key of an environment that the route does not serve; scope_required
 */
export const admit = (principal: Principal, route: OrgRoute | ProjectRoute, query: URLSearchParams): void => {
  if (route.environment !== undefined && route.environment !== principal.environment) throw notFound();
  const scope = requiredScope(route, query);
  if (!principal.scopes.has(scope)) throw scopeRequired(scope);
};
