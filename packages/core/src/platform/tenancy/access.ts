import { notFound, validationError } from '../../foundation/errors.ts';
import type { ScopeNames } from '../../foundation/scope.ts';
import type { Grant } from './answers.generated.ts';
import type { Principal } from './api.ts';

/** The project of a grant that covers all projects of its org, those made later included. */
export const ALL_PROJECTS = '*';

/** What a request names: the org of an explicit path, the project of its query or body. Absent: not named. */
export type Asked = { readonly orgId?: string | undefined; readonly projectId?: string | undefined };

/**
 * Whose rows a request acts on, by the grants of its key. Pure: with a grant for all projects of an org it believes
 * the project that was named, and the caller still has to see whether there is one.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.orgId` or `fieldErrors.projectId` for what the key needs and the request
 * leaves out; NOT_FOUND for an org or a project that the key has no grant for
 * Source: contract, Keys and scopes.
 */
export const resolveScope = (
  { environment, grants }: Pick<Principal, 'environment' | 'grants'>,
  asked: Asked,
): ScopeNames => {
  const orgs = new Set(grants.map((grant) => grant.orgId));
  if (asked.orgId === undefined && orgs.size > 1)
    throw validationError({ orgId: ['This key covers several orgs; name one in the path, /orgs/:orgId.'] });
  const [orgId] = asked.orgId === undefined ? orgs : [asked.orgId];
  const projects = grants.filter((grant) => grant.orgId === orgId).map((grant) => grant.projectId);
  const [first, ...others] = projects;
  if (orgId === undefined || first === undefined) throw notFound();
  if (asked.projectId === undefined) {
    if (others.length === 0 && first !== ALL_PROJECTS) return { orgId, projectId: first, environment };
    throw validationError({ projectId: ['This key covers several projects; name one in the query or the body.'] });
  }
  const isGranted = projects.includes(asked.projectId) || projects.includes(ALL_PROJECTS);
  if (!isGranted || asked.projectId === ALL_PROJECTS) throw notFound();
  return { orgId, projectId: asked.projectId, environment };
};

/** Tells whether whoever has `grants` may do all that `grant` allows. Throws nothing. */
export const covers = (grants: readonly Grant[], { orgId, projectId }: Grant): boolean =>
  grants.some((own) => own.orgId === orgId && (own.projectId === ALL_PROJECTS || own.projectId === projectId));
