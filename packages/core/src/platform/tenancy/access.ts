import { notFound, validationError } from '../../foundation/errors.ts';
import type { ScopeNames } from '../../foundation/scope.ts';
import type { Grant } from './answers.generated.ts';
import type { Principal } from './api.ts';

/** The project of a grant for all projects of its organization, including later ones. */
export const ALL_PROJECTS = '*';

/** The organization of a request's path, and the project of its query or body. Absent: not stated. */
export type RequestedScope = { readonly orgId?: string | undefined; readonly projectId?: string | undefined };

/**
 * The scope of a request, by the grants of its key. Pure: a grant for all projects accepts any project id, and the
 * caller must check that it exists.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.orgId` or `fieldErrors.projectId` if the key needs one that the request
 * lacks; NOT_FOUND for an organization or a project without a grant
 * Source: contract, Keys and scopes.
 */
export const resolveScope = (
  { environment, grants }: Pick<Principal, 'environment' | 'grants'>,
  requested: RequestedScope,
): ScopeNames => {
  const orgs = new Set(grants.map((grant) => grant.orgId));
  if (requested.orgId === undefined && orgs.size > 1)
    throw validationError({
      orgId: ['is required, because the API key covers several organizations: use the path /orgs/:orgId'],
    });
  const [orgId] = requested.orgId === undefined ? orgs : [requested.orgId];
  const projects = grants.filter((grant) => grant.orgId === orgId).map((grant) => grant.projectId);
  const [first, ...others] = projects;
  if (orgId === undefined || first === undefined) throw notFound();
  if (requested.projectId === undefined) {
    if (others.length === 0 && first !== ALL_PROJECTS) return { orgId, projectId: first, environment };
    throw validationError({
      projectId: ['is required, because the API key covers several projects: pass it in the query or the body'],
    });
  }
  const isGranted = projects.includes(requested.projectId) || projects.includes(ALL_PROJECTS);
  if (!isGranted || requested.projectId === ALL_PROJECTS) throw notFound();
  return { orgId, projectId: requested.projectId, environment };
};

/** True if `grants` cover `grant`. Throws nothing. */
export const covers = (grants: readonly Grant[], { orgId, projectId }: Grant): boolean =>
  grants.some((held) => held.orgId === orgId && (held.projectId === ALL_PROJECTS || held.projectId === projectId));
