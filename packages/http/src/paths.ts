import type { Route } from './route.ts';

/**
 * The full paths of a route, the auto-scoped one first. Throws nothing.
 *
 * @param basePath without a trailing slash
 */
export const pathsOf = (route: Route, basePath: string): readonly string[] => {
  if (route.shape === 'root') return [route.path];
  const auto = `${basePath}${route.path}`;
  return route.shape === 'auto' ? [auto] : [auto, `${basePath}/orgs/:orgId${route.path}`];
};
